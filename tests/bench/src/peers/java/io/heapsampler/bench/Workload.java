// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

/** Some work, always the same for the same number of calls, that checks its own result. */
interface Workload {

    /** Works for some ten to some hundred milliseconds. */
    void work() throws Exception;

    default void end() throws Exception {}

    /** Throws unless the result is what it should be. */
    static void check(boolean isRight, String what) {
        if (!isRight) {
            throw new IllegalStateException("the work went wrong: " + what);
        }
    }
}
