// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.ApiStatus;
import io.heapsampler.doctor.internal.report.HtmlReport;
import io.heapsampler.doctor.internal.report.JsonReport;
import io.heapsampler.doctor.internal.report.TextReport;
import io.heapsampler.doctor.internal.rules.Judgement;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a {@link GcDoctor} says of a period of the JVM: the findings, and the rules that did not
 * fire.
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

    private final Judgement judgement;

    Diagnosis(Judgement judgement) {
        this.judgement = judgement;
    }

    /**
     * Returns the beginning of the period.
     *
     * @return when the doctor began, or ten minutes before {@link #endedAt()} if that is later
     */
    public Instant startedAt() {
        return judgement.startedAt();
    }

    /**
     * Returns the end of the period.
     *
     * @return the time of the last reading of the JVM
     */
    public Instant endedAt() {
        return judgement.endedAt();
    }

    /**
     * Returns the findings.
     *
     * @return the worst first, causes before their consequences; unmodifiable
     */
    public List<Finding> findings() {
        return judgement.findings();
    }

    /**
     * Returns the rules that did not fire.
     *
     * @return each with its reason; unmodifiable
     */
    public List<Check> checks() {
        return judgement.checks();
    }

    /**
     * Returns notes on the figures, such as the limits of sampling, and what was found earlier.
     *
     * @return sentences in English; unmodifiable
     */
    public List<String> notes() {
        return judgement.notes();
    }

    /**
     * Returns whether a finding requires action.
     *
     * @return true if one is a {@link Severity#WARNING} or worse
     */
    public boolean hasWarnings() {
        return judgement.hasWarnings();
    }

    /**
     * Returns the finding of one id.
     *
     * @param id such as {@code leak.growth}
     * @return the finding; empty if that rule did not fire
     */
    public Optional<Finding> finding(String id) {
        return judgement.finding(id);
    }

    /**
     * Returns the diagnosis as plain text, for a terminal or a log: the verdict, the findings with
     * the evidence for and against them, and the rules that did not fire.
     *
     * @return lines in English, each ended by a line feed
     */
    public String toText() {
        return TextReport.of(judgement);
    }

    /**
     * Returns the diagnosis as JSON, for other programs. The resource {@code doctor.schema.json}
     * beside this class describes the document. Within version 1 entries may be added, and readers
     * ignore entries that they do not know.
     *
     * @return one object, in one line
     */
    public String toJson() {
        return JsonReport.of(judgement);
    }

    /**
     * Returns the diagnosis as a page that loads nothing and sends nothing.
     *
     * @return a whole HTML document
     */
    public String toHtml() {
        return HtmlReport.page(judgement);
    }

    /**
     * Returns the same as a section of another page.
     *
     * @return an element {@code section}
     */
    public String toHtmlSection() {
        return HtmlReport.section(judgement);
    }

    /**
     * Returns the same as {@link #toText()}.
     *
     * @return the text
     */
    @Override
    public String toString() {
        return toText();
    }
}
