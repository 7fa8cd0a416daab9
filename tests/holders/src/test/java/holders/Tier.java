// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.util.Locale;

/** How much is run. */
enum Tier {
    MERGE(20, 20),
    LONG(1_000, 200);

    private final int walks;
    private final int walksByOtherWays;

    Tier(int walks, int walksByOtherWays) {
        this.walks = walks;
        this.walksByOtherWays = walksByOtherWays;
    }

    static Tier current() {
        return valueOf(System.getProperty("holders.tier", "merge").toUpperCase(Locale.ROOT));
    }

    /** Returns how many walks a program must bear: most by the way that is usual there. */
    int walks(boolean isUsualWay) {
        return isUsualWay ? walks : walksByOtherWays;
    }
}
