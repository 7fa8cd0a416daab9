// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.ApiStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The result of a {@link GcDoctor} for a period of the JVM: the findings, and the rules that did
 * not fire.
 *
 * <pre>{@code
 * Diagnosis diagnosis = doctor.diagnosis();
 * diagnosis.findings().forEach(f -> System.out.println(f.severity() + " " + f.title()));
 * System.out.print(diagnosis.toText());
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public final class Diagnosis {

    private final Situation situation;
    private final List<Finding> findings;
    private final List<Check> checks;
    private final List<String> notes;

    /** Findings begin with the worst. */
    Diagnosis(Situation situation, List<Finding> findings, List<Check> checks, List<String> notes) {
        this.situation = situation;
        this.findings = List.copyOf(findings);
        this.checks = List.copyOf(checks);
        this.notes = List.copyOf(notes);
    }

    /** Returns the same with other findings and more notes. */
    Diagnosis with(List<Finding> others, List<String> more) {
        return with(others, checks, more);
    }

    Diagnosis with(List<Finding> others, List<Check> otherChecks, List<String> more) {
        List<String> all = new ArrayList<>(notes);
        all.addAll(more);
        return new Diagnosis(situation, others, otherChecks, all);
    }

    Timeline timeline() {
        return situation.timeline();
    }

    SloReport slo() {
        return new SloReport(situation.timeline(), situation.slo());
    }

    /**
     * {@return when the doctor began, or ten minutes before {@link #endedAt()} if that is later}
     */
    public Instant startedAt() {
        return timeline().shown(situation.from());
    }

    /** {@return the time of the last reading of the JVM} */
    public Instant endedAt() {
        return timeline().shown(situation.to());
    }

    /** {@return the findings, the worst first, causes before their consequences; unmodifiable} */
    public List<Finding> findings() {
        return findings;
    }

    /** {@return the rules that did not fire, each with its reason; unmodifiable} */
    public List<Check> checks() {
        return checks;
    }

    /** {@return notes on the figures, such as the limits of sampling, in English; unmodifiable} */
    public List<String> notes() {
        return notes;
    }

    /** {@return whether a finding requires action: a {@link Severity#WARNING} or worse} */
    public boolean hasWarnings() {
        return findings.stream().anyMatch(f -> f.severity() != Severity.INFO);
    }

    /**
     * Returns the finding of one id.
     *
     * @param id such as {@code leak.growth}
     * @return the finding; empty if that rule did not fire
     */
    public Optional<Finding> finding(String id) {
        return findings.stream().filter(f -> f.id().equals(id)).findFirst();
    }

    /**
     * Returns this diagnosis for readers who may not see the values of labels ({@link
     * io.heapsampler.HeapLabels}), such as {@code tenant=acme}. No text of it then has one.
     *
     * @return the same without the evidence {@code label.explained}
     */
    public Diagnosis withoutLabels() {
        List<Finding> others = new ArrayList<>();
        for (Finding each : findings) {
            others.add(each.without(LabelShare.EVIDENCE));
        }
        return with(others, List.of());
    }

    /**
     * {@return the diagnosis as plain text, for a terminal or a log: the verdict, the findings with
     * the evidence for and against them, and the rules that did not fire}
     */
    public String toText() {
        return TextReport.of(this);
    }

    /**
     * Returns the diagnosis as JSON, for other programs. The resource {@code doctor.schema.json}
     * beside this class describes the document. Within version 1 entries may be added, and readers
     * ignore entries that they do not know. The report of heapsampler-export draws it as a page:
     * {@code ExportOptions.Builder.diagnosis}.
     *
     * @return one object, in one line
     */
    public String toJson() {
        return JsonReport.of(this);
    }

    /** {@return the same as {@link #toText()}} */
    @Override
    public String toString() {
        return toText();
    }
}
