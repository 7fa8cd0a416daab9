// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.doctor.internal.report.TextReport;

/**
 * A diagnosis as plain text, for a terminal or a log: the objectives, the findings with their
 * evidence and the evidence against them, and the rules that did not fire.
 *
 * <pre>{@code
 * System.out.print(DiagnosisText.of(GcDoctor.start().diagnosis()));
 * }</pre>
 */
public final class DiagnosisText {

    private DiagnosisText() {}

    /**
     * Writes a diagnosis.
     *
     * @param diagnosis the diagnosis
     * @return lines in English, each ended by a line feed
     */
    public static String of(Diagnosis diagnosis) {
        return TextReport.of(diagnosis);
    }
}
