// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

/** How long a stage may take: {@code -Dbench.quick=true} only shows that it works. */
final class Effort {

    static final boolean IS_QUICK = Boolean.getBoolean("bench.quick");

    private Effort() {}

    /** A number of rounds, forks or seconds. */
    static int of(int full, int quick) {
        return IS_QUICK ? quick : full;
    }

    /** The minutes that a stage may take; {@code -Dbench.minutes}. */
    static double minutes(double otherwise) {
        String minutes = System.getProperty("bench.minutes", "");
        return minutes.isEmpty() ? otherwise : Double.parseDouble(minutes);
    }
}
