// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.SampleColumns;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What was confirmed live of one site in each of some snapshots. */
final class Living {

    private final Amount[] amounts;
    private final double[] bytes;
    private final @Nullable Cohort[] cohorts;
    private final Set<Integer> survivedInLast = new HashSet<>();

    Living(int snapshots) {
        amounts = new Amount[snapshots];
        Arrays.fill(amounts, Amount.ZERO);
        bytes = new double[snapshots];
        cohorts = new Cohort[snapshots];
    }

    /** Sites that differ only in the raw names of hidden classes are one. */
    void addAmount(int snapshot, Amount live) {
        amounts[snapshot] = amounts[snapshot].plus(live);
        bytes[snapshot] += live.bytes().value();
    }

    /** Adds a sample that was confirmed first in snapshot {@code cohort}. */
    void addSample(int snapshot, int cohort, SampleColumns samples, int i) {
        Cohort all = cohorts[cohort];
        if (all == null) {
            all = new Cohort(cohort, bytes.length);
            cohorts[cohort] = all;
        }
        all.add(snapshot, (double) samples.size(i), samples.chance(i));
        if (snapshot == bytes.length - 1) {
            survivedInLast.add(samples.survived(i));
        }
    }

    SiteGrowth growth(SiteKey key, Slope whole, Slope recent) {
        return new SiteGrowth(
                key, List.of(amounts), estimate(whole), estimate(recent), survivedInLast.size());
    }

    private Estimate estimate(Slope slope) {
        double variance = 0;
        for (Cohort cohort : cohorts) {
            variance += cohort == null ? 0 : cohort.variance(slope);
        }
        long samples = Arrays.stream(amounts).mapToLong(Amount::samples).max().orElse(0);
        return Estimate.signed(slope.of(bytes), variance, samples);
    }
}
