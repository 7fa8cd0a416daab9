// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/** One assertion about the allocations of some code. Immutable. */
public interface Rule {

    /** The assertion as its author wrote it, such as {@code @MaxAllocation("1 MB")}. */
    String name();

    /** Which allocations it is about. */
    Scope scope();

    /** How many runs it needs, at most. More than one only if its author requested repetition. */
    Repeats repeats();

    /**
     * Begins to check some code.
     *
     * @param settings of all assertions of the test
     * @return a trial that has seen no run yet; to be closed
     */
    Trial start(Settings settings);
}
