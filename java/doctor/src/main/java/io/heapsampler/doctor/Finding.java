// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One problem, with what speaks for it and against it.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param id which problem, such as {@code promotion.premature}; stable over versions
 * @param severity how bad it is
 * @param title one line for a reader
 * @param startedAt the beginning of the time in which it showed
 * @param endedAt its end
 * @param collector the collector, with the release of the JDK, such as {@code G1, JDK 17}
 * @param evidence what was measured, most telling first
 * @param sites who causes it, most first; where there are any, the evidence {@code sites.explained}
 *     says which share they explain; empty where samples say nothing, which {@code evidence} then
 *     tells. Class loaders and references are told by the names of their classes: a loader that is
 *     anonymous, or whose name does not end with {@code Loader}, is not among them
 * @param callers who makes a call that is the problem, most first; empty where the problem is no
 *     call, or Flight Recorder has told of none
 * @param notFired what was looked at because it would have explained the same, and was not there
 * @param refuters what would show that this finding is wrong
 * @param advice the one change to try first; null if there is none to give
 * @param explainedBy the id of the finding whose consequence this is; null if it is none
 */
public record Finding(
        String id,
        Severity severity,
        String title,
        Instant startedAt,
        Instant endedAt,
        String collector,
        List<Evidence> evidence,
        List<SiteEvidence> sites,
        List<CallerEvidence> callers,
        List<Check> notFired,
        List<String> refuters,
        @Nullable Advice advice,
        @Nullable String explainedBy) {
    /**
     * Copies the lists.
     *
     * @param id which problem
     * @param severity how bad it is
     * @param title one line
     * @param startedAt the beginning
     * @param endedAt the end
     * @param collector the collector
     * @param evidence what was measured
     * @param sites who causes it
     * @param callers who calls
     * @param notFired what was not there
     * @param refuters what would show it wrong
     * @param advice what to change
     * @param explainedBy the cause
     */
    public Finding {
        evidence = List.copyOf(evidence);
        sites = List.copyOf(sites);
        callers = List.copyOf(callers);
        notFired = List.copyOf(notFired);
        refuters = List.copyOf(refuters);
    }
}
