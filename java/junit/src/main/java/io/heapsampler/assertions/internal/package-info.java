// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** How assertions measure, decide and report. Not exported. */
@NullMarked
package io.heapsampler.assertions.internal;

import org.jspecify.annotations.NullMarked;
