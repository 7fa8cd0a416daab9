// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The findings of the rules in a timeline, and the rules that did not fire.
 *
 * <pre>{@code
 * Diagnosis diagnosis = doctor.diagnosis();
 * diagnosis.findings().forEach(f -> System.out.println(f.severity() + " " + f.title()));
 * System.out.print(DiagnosisText.of(diagnosis));
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param startedAt the beginning of the diagnosed period
 * @param endedAt its end
 * @param settings the settings with which the JVM was started
 * @param slo the objectives of the service, and whether they were met
 * @param causes the causes of collections, the most expensive first
 * @param findings the findings, the worst first
 * @param checks each rule that did not fire, with its reason
 * @param lifetimes how long objects live, by samples
 * @param notDiagnosed the problems that no rule covers
 * @param notes notes on the figures, such as the limits of sampling
 */
public record Diagnosis(
        Instant startedAt,
        Instant endedAt,
        JvmSettings settings,
        SloReport slo,
        List<CauseTotals> causes,
        List<Finding> findings,
        List<Check> checks,
        Lifetimes lifetimes,
        List<String> notDiagnosed,
        List<String> notes) {
    /**
     * Copies the lists.
     *
     * @param startedAt the beginning
     * @param endedAt the end
     * @param settings the settings of the JVM
     * @param slo the objectives, and whether they were met
     * @param causes the causes of collections
     * @param findings the findings
     * @param checks the rules that did not fire
     * @param lifetimes how long objects live
     * @param notDiagnosed the problems that no rule covers
     * @param notes notes on the figures
     */
    public Diagnosis {
        causes = List.copyOf(causes);
        findings = List.copyOf(findings);
        checks = List.copyOf(checks);
        notDiagnosed = List.copyOf(notDiagnosed);
        notes = List.copyOf(notes);
    }

    /**
     * Returns whether a finding requires action.
     *
     * @return true if one is a {@link Severity#WARNING} or worse
     */
    public boolean hasWarnings() {
        return findings.stream().anyMatch(f -> f.severity() != Severity.INFO);
    }

    /**
     * Returns the finding of one id.
     *
     * @param id such as {@code promotion.premature}
     * @return the finding; empty if that rule did not fire
     */
    public Optional<Finding> finding(String id) {
        return findings.stream().filter(f -> f.id().equals(id)).findFirst();
    }

    /** Returns the same with other notes. */
    Diagnosis withNotes(List<String> others) {
        return new Diagnosis(
                startedAt,
                endedAt,
                settings,
                slo,
                causes,
                findings,
                checks,
                lifetimes,
                notDiagnosed,
                others);
    }
}
