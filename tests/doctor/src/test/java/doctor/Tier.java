// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.Locale;

/** How much is run. */
enum Tier {
    MERGE(4),
    LONG(10);

    private final int seconds;

    Tier(int seconds) {
        this.seconds = seconds;
    }

    static Tier current() {
        return valueOf(System.getProperty("doctor.tier", "merge").toUpperCase(Locale.ROOT));
    }

    /** Returns how long a healthy program works; a faulty one works until it has been found out. */
    int seconds() {
        return seconds;
    }
}
