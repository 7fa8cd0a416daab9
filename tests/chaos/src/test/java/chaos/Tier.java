// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.util.Locale;

/** How much is run. */
enum Tier {
    MERGE(2, 1, 20),
    LONG(Integer.MAX_VALUE, Integer.MAX_VALUE, 120);

    private final int turns;
    private final int exits;
    private final int soakSeconds;

    Tier(int turns, int exits, int soakSeconds) {
        this.turns = turns;
        this.exits = exits;
        this.soakSeconds = soakSeconds;
    }

    static Tier current() {
        return valueOf(System.getProperty("chaos.tier", "merge").toUpperCase(Locale.ROOT));
    }

    /** Returns on how many targets a scenario runs. */
    int turns() {
        return turns;
    }

    /** Returns on how many targets a JVM ends in each way, at most. */
    int exits() {
        return exits;
    }

    /** Returns how long the memory is watched. */
    int soakSeconds() {
        return soakSeconds;
    }
}
