// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import org.jspecify.annotations.Nullable;

/** One assertion about the allocations of some code. Immutable. */
public interface Rule {

    /** The assertion as its author wrote it, such as {@code @MaxAllocation("1 MB")}. */
    String name();

    /** How it looks at the first run of the code; null if it does not care. */
    FirstRun.@Nullable Look first(Settings settings);

    /**
     * Runs the code, once or more, and judges.
     *
     * @throws NotMeasuredException if there is no verdict
     * @throws Throwable what the code itself threw in its first run
     */
    Verdict check(Subject subject, Settings settings) throws Throwable;
}
