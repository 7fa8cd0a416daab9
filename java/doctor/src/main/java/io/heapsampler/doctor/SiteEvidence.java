// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.ApiStatus;
import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import java.util.List;

/**
 * A place in the code that a finding names.
 *
 * @param className the class of the objects allocated there
 * @param stack the frames, leaf first
 * @param metric the name of the estimated figure, such as {@code promoted, then dead}
 * @param estimate the estimate, with its error
 * @param unit {@code bytes} or {@code objects} or {@code share}
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public record SiteEvidence(
        String className, List<HeapFrame> stack, String metric, Estimate estimate, String unit) {
    public SiteEvidence {
        stack = List.copyOf(stack);
    }
}
