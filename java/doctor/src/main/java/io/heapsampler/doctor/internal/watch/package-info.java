// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** What asks the JVM, each second and when it tells something, and what is done with findings. */
@NullMarked
package io.heapsampler.doctor.internal.watch;

import org.jspecify.annotations.NullMarked;
