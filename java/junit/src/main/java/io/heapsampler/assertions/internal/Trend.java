// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/**
 * What a series of live counts does: the net growth that a leak shows and a full cache does not.
 *
 * <p>False alarms, for counts that come and go in random order: all of n counts are in rising order
 * once in n! cases, which is 1 in 720 for six and 1 in 39,916,800 for eleven; and the last third is
 * above the first, for six counts in each, once in 924.
 *
 * @param growth how much the last is above the first; negative if it is below
 * @param highs how often a count was above all before
 * @param falls how often a count was below the one before
 * @param steps how many pairs of neighbours there are
 * @param isApart is the last third above the first one?
 */
record Trend(double growth, int highs, int falls, int steps, boolean isApart) {

    /** The fewest counts of which thirds can be compared. */
    private static final int FEWEST_OF_THIRDS = 18;

    /** The fewest looks that show that growth is steady. */
    private static final int FEWEST_LOOKS = 3;

    /** What follows from it. */
    enum Kind {
        /** No growth, or no more than something that comes and goes. */
        STILL,
        /** Some growth, which more runs must confirm. */
        UNDECIDED,
        /** Net growth that goes on. */
        GROWING
    }

    static Trend of(double[] counts) {
        int highs = 0;
        int falls = 0;
        double highest = counts[0];
        for (int i = 1; i < counts.length; i++) {
            highs += counts[i] > highest ? 1 : 0;
            falls += counts[i] < counts[i - 1] ? 1 : 0;
            highest = Math.max(highest, counts[i]);
        }
        double growth = counts[counts.length - 1] - counts[0];
        return new Trend(growth, highs, falls, counts.length - 1, isApart(counts));
    }

    private static boolean isApart(double[] counts) {
        int third = counts.length / 3;
        double highest = Double.NEGATIVE_INFINITY;
        double lowest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < third; i++) {
            highest = Math.max(highest, counts[i]);
            lowest = Math.min(lowest, counts[counts.length - 1 - i]);
        }
        return counts.length >= FEWEST_OF_THIRDS && lowest > highest;
    }

    /**
     * After one count for each run: growth in each of them is a leak. Net growth with falls may be
     * one too: a batch of which all but a part is released now and then.
     */
    Kind afterEachRun() {
        if (isRising()) {
            return Kind.GROWING;
        }
        return growth > 0 ? Kind.UNDECIDED : Kind.STILL;
    }

    /**
     * After further runs at greater and greater distances: an amount that has grown more than once
     * and never shrunk, such as an array that doubles, is a leak. So is one that went up and down,
     * but by more than chance explains.
     */
    Kind afterMoreRuns(Trend more) {
        boolean grewAgain = more.highs > 0 && more.growth > 0;
        boolean isSteps = falls == 0 && highs >= 2;
        boolean isSlope = isApart && highs >= steps / 2;
        return grewAgain && (isSteps || isSlope) ? Kind.GROWING : Kind.STILL;
    }

    /**
     * After some of those runs, where there is no time for the others. Growth at each look is a
     * leak. If there is none for as many runs as there were before, it has stopped.
     *
     * @param isDoubled were there as many runs as before?
     */
    Kind afterTooFewRuns(Trend more, boolean isDoubled) {
        if (growth <= 0 || (isDoubled && more.highs == 0)) {
            return Kind.STILL;
        }
        boolean isSteady = more.isRising() && more.steps >= FEWEST_LOOKS;
        return isSteady && afterMoreRuns(more) == Kind.GROWING ? Kind.GROWING : Kind.UNDECIDED;
    }

    /** Is each count above all before? */
    boolean isRising() {
        return highs == steps;
    }
}
