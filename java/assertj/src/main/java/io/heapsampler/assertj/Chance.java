// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.Estimate;

/** Which of many figures are above 0 by more than chance explains. */
final class Chance {

    /** Of so many runs in which nothing grows, one says that something does. */
    private static final double RUNS_PER_FALSE_ALARM = 40;

    private Chance() {}

    /**
     * Says whether one of many sites has grown by more than chance explains. Each may err with the
     * chance 1 / (40 · many), so that all together err in one of 40 runs at most.
     *
     * @param chance the chance that it looks so without growth
     */
    static boolean isSure(double chance, int many) {
        return chance * RUNS_PER_FALSE_ALARM * Math.max(1, many) <= 1;
    }

    /**
     * Says whether a figure, one of many that are tested, is surely above a limit. Each may err
     * with the chance 1 / (40 · many), so that all together err in one of 40 runs at most. The
     * quantile is from P(Z &gt; z) ≤ ½ exp(−z²/2): z = √(2 ln (40 · many / 2)), a little more than
     * the exact one.
     */
    static boolean isSurelyAbove(Estimate estimate, double limit, int many) {
        double quantile = Math.sqrt(2 * Math.log(RUNS_PER_FALSE_ALARM * Math.max(1, many) / 2));
        return estimate.value() - quantile * estimate.standardError() > limit;
    }
}
