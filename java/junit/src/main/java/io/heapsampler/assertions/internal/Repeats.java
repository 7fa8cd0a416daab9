// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/**
 * How often code is run for a verdict.
 *
 * @param warmup runs before those that are judged, 0 or more
 * @param judged runs that are judged, 1 or more
 */
public record Repeats(int warmup, int judged) {

    /** The first run alone is judged. */
    public static final Repeats NONE = new Repeats(0, 1);

    /**
     * Returns the runs that an author wrote.
     *
     * @param warmup runs before those that are judged; -1 for none
     * @param minOf runs that are judged; -1 for one
     */
    static Repeats of(int warmup, int minOf) {
        return new Repeats(Math.max(0, warmup), minOf < 1 ? 1 : minOf);
    }

    /** Is the code run more than once? */
    public boolean isAsked() {
        return total() > 1;
    }

    /** All runs. */
    public int total() {
        return warmup + judged;
    }
}
