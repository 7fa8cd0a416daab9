// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.ApiStatus;

/**
 * The one change that a finding advises.
 *
 * @param kind where the change is to be made; code comes before sizes, and sizes before flags
 * @param text what to do, and what to expect from it
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public record Advice(Kind kind, String text) {
    /** Where a change is to be made. */
    public enum Kind {
        /** At a site in the code. */
        CODE,
        /** In the size of a heap, a generation or a limit. */
        SIZE,
        /** In another flag of the JVM. */
        FLAG
    }
}
