// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * What an assertion has come to.
 *
 * @param outcome passed or not
 * @param rule the assertion, as its author wrote it
 * @param summary the figure and how it was had, in one line
 * @param error what to throw; null if passed or not measured
 * @param snapshot the recorded allocations of the run; null if it was not recorded
 * @param note sites that a pass has left out, for the build's summary; null for none
 */
public record Verdict(
        Outcome outcome,
        String rule,
        String summary,
        @Nullable Throwable error,
        @Nullable HeapSnapshot snapshot,
        @Nullable String note) {

    /** A verdict without a note. */
    public Verdict(
            Outcome outcome,
            String rule,
            String summary,
            @Nullable Throwable error,
            @Nullable HeapSnapshot snapshot) {
        this(outcome, rule, summary, error, snapshot, null);
    }

    /** Returns the same verdict with a note, such as {@code 3 sites within perSite}. */
    public Verdict withNote(String text) {
        return new Verdict(outcome, rule, summary, error, snapshot, text);
    }

    /** The kinds of outcome. */
    public enum Outcome {
        /** Measured and within the limit. */
        PASSED,
        /** Measured and beyond it, or not measured where that is a failure. */
        FAILED,
        /** Not measured, and the test is to be aborted. */
        ABORTED,
        /** Not measured, and let pass. */
        NOT_MEASURED
    }

    static Verdict passed(Rule rule, String summary, @Nullable HeapSnapshot snapshot) {
        return new Verdict(Outcome.PASSED, rule.name(), summary, null, snapshot);
    }

    static Verdict failed(
            Rule rule, String summary, Throwable error, @Nullable HeapSnapshot snapshot) {
        return new Verdict(Outcome.FAILED, rule.name(), summary, error, snapshot);
    }
}
