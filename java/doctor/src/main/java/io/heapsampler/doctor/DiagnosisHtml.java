// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.doctor.internal.report.HtmlReport;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A diagnosis as HTML, with plots of the timeline: a page of its own, or a section for another one.
 * It loads nothing, sends nothing and runs nothing.
 *
 * <pre>{@code
 * String page = DiagnosisHtml.page(doctor.diagnosis(), doctor.timeline());
 * Files.writeString(Path.of("doctor.html"), page);
 * }</pre>
 */
public final class DiagnosisHtml {

    /** The same for all pages; null until there was one. */
    @SuppressWarnings("NonFinalStaticField")
    private static volatile @Nullable String head;

    private DiagnosisHtml() {}

    /**
     * Writes a page.
     *
     * @param diagnosis the diagnosis
     * @param timeline its timeline, for the plots
     * @return a whole document with its style sheet in it
     */
    public static String page(Diagnosis diagnosis, Timeline timeline) {
        String known = head;
        if (known == null) {
            known = HtmlReport.head(style());
            head = known;
        }
        return HtmlReport.page(diagnosis, timeline, known);
    }

    /**
     * Writes a section for a page that has {@link #style()} in it, such as the reports that the
     * HTTP endpoint and the agent write.
     *
     * @param diagnosis the diagnosis
     * @param timeline its timeline, for the plots
     * @return an element {@code section} of the class {@code hs-doctor}
     */
    public static String section(Diagnosis diagnosis, Timeline timeline) {
        return HtmlReport.section(diagnosis, timeline);
    }

    /**
     * Returns the style sheet of the section, all of whose rules are of the class {@code
     * hs-doctor}.
     *
     * @return CSS
     */
    public static String style() {
        try (InputStream in = DiagnosisHtml.class.getResourceAsStream("doctor.css")) {
            if (in == null) {
                throw new IllegalStateException(
                        "The resource doctor.css is missing in the jar of heapsampler-doctor. Was"
                                + " the jar shrunk or repacked? Keep its resources.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The style sheet doctor.css cannot be read.", e);
        }
    }
}
