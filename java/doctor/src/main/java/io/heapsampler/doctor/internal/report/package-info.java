// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** A diagnosis as text, JSON and HTML. */
@NullMarked
package io.heapsampler.doctor.internal.report;

import org.jspecify.annotations.NullMarked;
