// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** Reads the JVM each second, receives its notifications and events, and reports findings. */
@NullMarked
package io.heapsampler.doctor.internal.watch;

import org.jspecify.annotations.NullMarked;
