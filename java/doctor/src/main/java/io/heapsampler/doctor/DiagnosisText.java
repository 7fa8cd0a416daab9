// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.doctor.internal.report.TextReport;

/**
 * A diagnosis as plain text, for a terminal or a log: what was agreed, what was found, why, what
 * speaks against it, and what was not found.
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
     * @param diagnosis what to write
     * @return lines in English, each ended by a line feed
     */
    public static String of(Diagnosis diagnosis) {
        return TextReport.of(diagnosis);
    }
}
