// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.Locale;

/** How much is run. */
enum Tier {
    MERGE(4_000, 2, 300_000),
    LONG(60_000, 20, 10_000_000);

    /** Far beyond need: a cell that has not met its stacks by then will not. */
    static final int SECONDS = 180;

    private final long stacks;
    private final int rounds;
    private final long minimum;

    Tier(long stacks, int rounds, long minimum) {
        this.stacks = stacks;
        this.rounds = rounds;
        this.minimum = minimum;
    }

    static Tier current() {
        return valueOf(System.getProperty("walk.tier", "merge").toUpperCase(Locale.ROOT));
    }

    /** Returns how many stacks a cell has to verify. */
    long stacks() {
        return stacks;
    }

    /** Returns the least rounds of a cell. */
    int rounds() {
        return rounds;
    }

    /** Returns how many stacks all cells together have to verify. */
    long minimum() {
        return minimum;
    }
}
