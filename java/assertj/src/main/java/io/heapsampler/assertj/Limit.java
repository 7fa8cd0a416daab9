// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

/** The least or the most that a figure may be. */
record Limit(boolean isMost, double amount) {

    static Limit atMost(long amount) {
        return new Limit(true, (double) amount);
    }

    static Limit atLeast(long amount) {
        return new Limit(false, (double) amount);
    }

    String text(Measure measure) {
        return (isMost ? "at most " : "at least ") + measure.exact(amount);
    }
}
