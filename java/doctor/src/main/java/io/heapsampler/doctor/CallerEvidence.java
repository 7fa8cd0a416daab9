// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.ApiStatus;
import java.util.List;

/**
 * A caller that a finding names.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param call the called method: {@code System.gc()}, or a native method
 * @param stack the frames from the caller on, leaf first, as {@code Class.method:line}; at most 16
 * @param count how often it was seen in the last ten minutes
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public record CallerEvidence(String call, List<String> stack, long count) {
    public CallerEvidence {
        stack = List.copyOf(stack);
    }
}
