// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.util.Locale;

/** How much is run. */
enum Tier {
    MERGE(20),
    LONG(1_000);

    private final int walks;

    Tier(int walks) {
        this.walks = walks;
    }

    static Tier current() {
        return valueOf(System.getProperty("holders.tier", "merge").toUpperCase(Locale.ROOT));
    }

    /** Returns how many walks a program must bear. */
    int walks() {
        return walks;
    }
}
