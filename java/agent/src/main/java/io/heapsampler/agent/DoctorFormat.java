// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.doctor.Diagnosis;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** In what a diagnosis is written. */
public enum DoctorFormat {
    /** For reading. */
    TEXT(".txt"),
    /** For programs. */
    JSON(".json"),
    /** A page with plots. */
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

    /** Writes a diagnosis. */
    String write(Diagnosis diagnosis) {
        return switch (this) {
            case TEXT -> diagnosis.toText();
            case JSON -> diagnosis.toJson();
            case HTML -> diagnosis.toHtml();
        };
    }
}
