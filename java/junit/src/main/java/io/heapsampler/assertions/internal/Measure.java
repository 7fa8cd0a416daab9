// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/** A way to look at one run of the code. */
interface Measure {

    /**
     * Runs the subject once, and records it where that is possible, so that a failure can name
     * sites.
     *
     * @param subject what to run
     * @return the figure, to be closed
     */
    Measured once(Subject subject) throws Throwable;

    /** How to look at the next run, if a figure does not decide about a limit. */
    default Measure better(Measured undecided, long limit) {
        return this;
    }

    /** Where it stands beside others that look at the same run. */
    Trial.Layer layer();

    /** Can two of them look at the same run? */
    default boolean isSociable() {
        return true;
    }
}
