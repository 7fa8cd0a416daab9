// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What was confirmed live of one site in each of some snapshots. */
final class Living {

    private final Amount[] amounts;
    private final double[] bytes;
    private final Set<Integer> survivedInLast = new HashSet<>();

    Living(int snapshots) {
        amounts = new Amount[snapshots];
        Arrays.fill(amounts, Amount.ZERO);
        bytes = new double[snapshots];
    }

    /** Sites that differ only in the raw names of hidden classes are one. */
    void addAmount(int snapshot, Amount live) {
        amounts[snapshot] = amounts[snapshot].plus(live);
        bytes[snapshot] += live.bytes().value();
    }

    /** Adds an object of the last snapshot, with how many collections it has survived. */
    void addLast(int survived) {
        survivedInLast.add(survived);
    }

    SiteGrowth growth(SiteKey key, Slope[] slopes, Evidence[] evidence) {
        return new SiteGrowth(
                key,
                List.of(amounts),
                evidence[0].bytes(slopes[0].of(bytes)),
                evidence[1].bytes(slopes[1].of(bytes)),
                Math.max(evidence[0].chance(), evidence[1].chance()),
                evidence[0].isEnough(),
                survivedInLast.size());
    }
}
