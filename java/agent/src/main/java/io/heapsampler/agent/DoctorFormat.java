// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.doctor.Diagnosis;
import io.heapsampler.export.internal.Exporting;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The format of a written diagnosis. */
public enum DoctorFormat {
    /** For reading. */
    TEXT(".txt"),
    /** For programs. */
    JSON(".json"),
    /** The report page of heapsampler-export, without samples. */
    HTML(".html");

    private final String suffix;

    DoctorFormat(String suffix) {
        this.suffix = suffix;
    }

    /**
     * Finds the format by the end of a name.
     *
     * @param name of a file
     * @return empty if it ends in something else
     */
    public static Optional<DoctorFormat> ofFileName(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return Arrays.stream(values()).filter(each -> lower.endsWith(each.suffix)).findFirst();
    }

    /** Writes a diagnosis, in UTF-8. */
    void write(Diagnosis diagnosis, OutputStream out) throws IOException {
        switch (this) {
            case TEXT -> out.write(diagnosis.toText().getBytes(StandardCharsets.UTF_8));
            case JSON -> out.write(diagnosis.toJson().getBytes(StandardCharsets.UTF_8));
            case HTML -> Exporting.get().writeDiagnosis(diagnosis.toJson(), out);
        }
    }
}
