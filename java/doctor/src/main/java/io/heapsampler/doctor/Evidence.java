// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.ApiStatus;

/**
 * A figure that a finding rests on.
 *
 * @param name the name of the figure, such as {@code promoted}
 * @param value the figure
 * @param unit its unit: {@code bytes}, {@code ms}, {@code share}, {@code count}, {@code 1/min}, …
 * @param text the same in a sentence for a reader, with what it is compared with
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public record Evidence(String name, double value, String unit, String text) {}
