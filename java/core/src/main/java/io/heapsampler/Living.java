// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What was confirmed live of one site in each of some snapshots. */
final class Living {

    private final HeapAmount[] amounts;
    private final double[] bytes;
    private final Set<Integer> survivedInLast = new HashSet<>();

    /** The site to show, the snapshot in which it is, and its live bytes there. */
    private @Nullable HeapSite shown;

    private int shownIn = -1;
    private double shownBytes;

    Living(int snapshots) {
        amounts = new HeapAmount[snapshots];
        Arrays.fill(amounts, HeapAmount.ZERO);
        bytes = new double[snapshots];
    }

    /** Adds a site with this key. Of those in the last snapshot the largest is shown. */
    void add(int snapshot, HeapSite site) {
        HeapAmount live = site.live();
        amounts[snapshot] = amounts[snapshot].plus(live);
        bytes[snapshot] += live.bytes().value();
        if (snapshot > shownIn || live.bytes().value() > shownBytes) {
            shown = site;
            shownIn = snapshot;
            shownBytes = live.bytes().value();
        }
    }

    /** Adds an object of the last snapshot, with how many collections it has survived. */
    void addLast(int survived) {
        survivedInLast.add(survived);
    }

    SiteGrowth growth(Slope[] slopes, Evidence[] evidence) {
        return new SiteGrowth(
                Objects.requireNonNull(shown),
                List.of(amounts),
                evidence[0].bytes(slopes[0].of(bytes)),
                evidence[1].bytes(slopes[1].of(bytes)),
                Math.max(evidence[0].chance(), evidence[1].chance()),
                evidence[0].isEnough(),
                survivedInLast.size());
    }
}
