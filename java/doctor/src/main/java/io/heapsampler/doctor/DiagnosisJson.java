// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.doctor.internal.report.JsonReport;

/**
 * A diagnosis as JSON, for other programs. The resource {@code doctor.schema.json} beside this
 * class describes the document. Within version 1 entries may be added, and readers ignore entries
 * that they do not know.
 *
 * <pre>{@code
 * Files.writeString(Path.of("diagnosis.json"), DiagnosisJson.of(doctor.diagnosis()));
 * }</pre>
 */
public final class DiagnosisJson {

    private DiagnosisJson() {}

    /**
     * Writes a diagnosis.
     *
     * @param diagnosis the diagnosis
     * @return one object, in one line
     */
    public static String of(Diagnosis diagnosis) {
        return JsonReport.of(diagnosis);
    }
}
