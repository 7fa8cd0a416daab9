// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * The facade of HeapSampler: {@link io.heapsampler.HeapSampler} starts and stops sampling, {@link
 * io.heapsampler.HeapRecording} scopes it, and {@link io.heapsampler.HeapSnapshot} holds what has
 * been learned.
 *
 * <p>References are never null unless they are marked {@code @Nullable}. Sizes are in bytes, times
 * on the clock are {@link java.time.Instant}, spans are {@link java.time.Duration}. Every figure
 * that is estimated from samples is an {@link io.heapsampler.Estimate} and carries its standard
 * error.
 */
@NullMarked
package io.heapsampler;

import org.jspecify.annotations.NullMarked;
