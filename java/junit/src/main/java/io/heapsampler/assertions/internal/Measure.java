// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/** A way to look at one run of the code. */
interface Measure {

    /**
     * Runs the subject once.
     *
     * @param subject what to run
     * @param explains whether the run shall be recorded, so that a failure can name sites
     * @return the figure, to be closed
     */
    Measured once(Subject subject, boolean explains) throws Throwable;

    /** The same with every allocation recorded; this where nothing can be gained. */
    default Measure finest() {
        return this;
    }
}
