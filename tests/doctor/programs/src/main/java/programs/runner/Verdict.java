// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.util.Locale;

/** How the doctor's messages and its final file compare with the row of the table. */
enum Verdict {
    /** The expected finding is in the file, and one of its first sites or callers is right. */
    FOUND_WITH_SITE,
    /** The expected finding is in the file; the row expects no site. */
    FOUND,
    /** The expected finding is in the file, without the expected site. */
    FOUND_WITHOUT_SITE,
    /** The expected finding is in the file as information only, and was never logged. */
    FOUND_AS_INFO,
    /** The expected finding was logged, and the file does not contain it any more. */
    TAKEN_BACK,
    /** There are warnings, but not the expected finding. */
    OTHER_FINDING,
    /** There is no warning. */
    MISSED,
    /** A healthy program without a warning. */
    SILENT,
    /** A healthy program with a warning. */
    FALSE_WARNING;

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Verdict labelled(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Returns whether the doctor reported what the row expects. */
    boolean isRight() {
        return this == FOUND_WITH_SITE || this == FOUND || this == SILENT;
    }
}
