// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** A diagnosis as text and JSON. */
@NullMarked
package io.heapsampler.doctor.internal.report;

import org.jspecify.annotations.NullMarked;
