// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * What is remembered of the JVM, in bounded memory, by a clock that nobody sets; how it is kept in
 * files; trends in it, and what causes of collections mean.
 */
@NullMarked
package io.heapsampler.doctor.internal.timeline;

import org.jspecify.annotations.NullMarked;
