// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.time.Instant;
import java.util.List;

/**
 * What rules found in a timeline, and what they looked for in vain.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param from the beginning of what was looked at
 * @param to its end
 * @param settings what the JVM was started with
 * @param slo what the service may lose to collections
 * @param findings the worst first
 * @param checks each rule that did not fire, with its reason
 * @param notes what a reader of these figures should know, such as the limits of sampling
 */
public record Diagnosis(
        Instant from,
        Instant to,
        JvmSettings settings,
        Slo slo,
        List<Finding> findings,
        List<Check> checks,
        List<String> notes) {
    /**
     * Copies the lists.
     *
     * @param from the beginning
     * @param to the end
     * @param settings what the JVM was started with
     * @param slo what the service may lose
     * @param findings what was found
     * @param checks what was not
     * @param notes what a reader should know
     */
    public Diagnosis {
        findings = List.copyOf(findings);
        checks = List.copyOf(checks);
        notes = List.copyOf(notes);
    }

    /** Returns the same with other notes. */
    Diagnosis withNotes(List<String> others) {
        return new Diagnosis(from, to, settings, slo, findings, checks, others);
    }

    /**
     * Says whether there is a finding that needs something to be done.
     *
     * @return true if one is a {@link Severity#WARNING} or worse
     */
    public boolean hasWarnings() {
        return findings.stream().anyMatch(f -> f.severity() != Severity.INFO);
    }
}
