// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All that the rules say about a timeline: what a diagnosis shows. Findings begin with the worst.
 * Immutable.
 */
record Judgement(
        Instant startedAt,
        Instant endedAt,
        Timeline timeline,
        SloReport slo,
        List<Finding> findings,
        List<Check> checks,
        List<String> notes) {

    Judgement {
        findings = List.copyOf(findings);
        checks = List.copyOf(checks);
        notes = List.copyOf(notes);
    }

    boolean hasWarnings() {
        return findings.stream().anyMatch(f -> f.severity() != Severity.INFO);
    }

    /** Returns the finding of one id; empty if that rule did not fire. */
    Optional<Finding> finding(String id) {
        return findings.stream().filter(f -> f.id().equals(id)).findFirst();
    }

    /** Returns the same with more notes. */
    Judgement with(List<String> more) {
        return with(findings, more);
    }

    /** Returns the same with other findings and more notes. */
    Judgement with(List<Finding> others, List<String> more) {
        List<String> all = new ArrayList<>(notes);
        all.addAll(more);
        return new Judgement(startedAt, endedAt, timeline, slo, others, checks, all);
    }

    /** Returns a finding with other severity, evidence and relations. */
    static Finding changed(
            Finding f,
            Severity severity,
            List<Evidence> evidence,
            List<Check> notFired,
            @Nullable String explainedBy) {
        return new Finding(
                f.id(),
                severity,
                f.title(),
                f.startedAt(),
                f.endedAt(),
                f.collector(),
                evidence,
                f.sites(),
                f.callers(),
                notFired,
                f.refuters(),
                f.advice(),
                explainedBy);
    }
}
