// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.util.Locale;

/** How much is run. */
enum Tier {
    MERGE(2, 1, 20, 1_024, 1_024),
    LONG(Integer.MAX_VALUE, Integer.MAX_VALUE, 120, 2, 64);

    private final int turns;
    private final int exits;
    private final int soakSeconds;
    private final double rssTolerance;
    private final double runningTolerance;

    Tier(int turns, int exits, int soakSeconds, double rssTolerance, double runningTolerance) {
        this.turns = turns;
        this.exits = exits;
        this.soakSeconds = soakSeconds;
        this.rssTolerance = rssTolerance;
        this.runningTolerance = runningTolerance;
    }

    static Tier current() {
        return valueOf(System.getProperty("chaos.tier", "merge").toUpperCase(Locale.ROOT));
    }

    /** Returns on how many targets a scenario runs at most. */
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

    /**
     * Returns how much resident memory a cycle of the soak may add beyond what it adds with the
     * other agent, in KiB; in a short run the JVM is not warm yet.
     */
    double rssTolerance() {
        return rssTolerance;
    }

    /**
     * Returns how much native memory a cycle of the soak may add while the sampler runs, in bytes.
     * The slope of 30 cycles is known to some 100 bytes, that of 1,000 to one.
     */
    double runningTolerance() {
        return runningTolerance;
    }
}
