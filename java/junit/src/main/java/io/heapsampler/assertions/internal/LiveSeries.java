// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/**
 * Live objects and bytes of one site or class at the looks of a trial. Made once with room for all
 * looks, so that keeping account does not grow the heap it watches.
 */
final class LiveSeries {

    /** By look. */
    final double[] objects;

    /** By look. */
    final double[] bytes;

    LiveSeries(int looks) {
        objects = new double[looks];
        bytes = new double[looks];
    }

    void add(int look, double moreObjects, double moreBytes) {
        objects[look] += moreObjects;
        bytes[look] += moreBytes;
    }

    void clear(int look) {
        objects[look] = 0;
        bytes[look] = 0;
    }

    LiveSeries plus(LiveSeries other) {
        LiveSeries sum = new LiveSeries(objects.length);
        for (int look = 0; look < objects.length; look++) {
            sum.add(look, objects[look], bytes[look]);
            sum.add(look, other.objects[look], other.bytes[look]);
        }
        return sum;
    }

    /** Is more alive at a look than at an earlier one, in objects or in bytes? */
    boolean hasGrown(int from, int to) {
        return objects[to] > objects[from] || bytes[to] > bytes[from];
    }

    /** What follows from a trend. */
    enum Kind {
        /** No growth, or no more than something that comes and goes. */
        STILL,
        /** Some growth, which more runs must confirm. */
        UNDECIDED,
        /** Net growth that goes on. */
        GROWING;

        static Kind greater(Kind one, Kind other) {
            return one.compareTo(other) > 0 ? one : other;
        }
    }

    /**
     * The net growth of live counts, which a leak shows and a full cache does not.
     *
     * <p>False alarms, for counts that come and go in random order: all of n counts are in rising
     * order once in n! cases, which is 1 in 720 for six and 1 in 39,916,800 for eleven; and the
     * last third is above the first, for six counts in each, once in 924.
     *
     * @param growth how much the last is above the first; negative if it is below
     * @param highs how often a count was above all before
     * @param falls how often a count was below the one before
     * @param steps the number of pairs of neighbours
     * @param isApart is the last third above the first one?
     */
    record Trend(double growth, int highs, int falls, int steps, boolean isApart) {

        /** The fewest counts of which thirds can be compared. */
        private static final int FEWEST_OF_THIRDS = 18;

        /** The fewest looks that show that growth is steady. */
        private static final int FEWEST_LOOKS = 3;

        /** Returns the trend of the counts from one look to another, both included. */
        static Trend of(double[] counts, int from, int to) {
            int highs = 0;
            int falls = 0;
            double highest = counts[from];
            for (int i = from + 1; i <= to; i++) {
                highs += counts[i] > highest ? 1 : 0;
                falls += counts[i] < counts[i - 1] ? 1 : 0;
                highest = Math.max(highest, counts[i]);
            }
            double growth = counts[to] - counts[from];
            return new Trend(growth, highs, falls, to - from, isApart(counts, from, to));
        }

        private static boolean isApart(double[] counts, int from, int to) {
            int size = to - from + 1;
            double highest = Double.NEGATIVE_INFINITY;
            double lowest = Double.POSITIVE_INFINITY;
            for (int i = 0; i < size / 3; i++) {
                highest = Math.max(highest, counts[from + i]);
                lowest = Math.min(lowest, counts[to - i]);
            }
            return size >= FEWEST_OF_THIRDS && lowest > highest;
        }

        /** Is each count above all before? */
        boolean isRising() {
            return highs == steps;
        }

        /**
         * After one count for each run: growth in each of them is a leak. Net growth with falls may
         * be one too: a batch of which all but a part is released now and then.
         */
        Kind afterEachRun() {
            if (isRising()) {
                return Kind.GROWING;
            }
            return growth > 0 ? Kind.UNDECIDED : Kind.STILL;
        }

        /**
         * After further runs at greater and greater distances: an amount that has grown more than
         * once and never shrunk, such as an array that doubles, is a leak. So is one that went up
         * and down, but by more than chance explains.
         */
        Kind afterMoreRuns(Trend more) {
            boolean grewAgain = more.highs > 0 && more.growth > 0;
            boolean isSteps = falls == 0 && highs >= 2;
            boolean isSlope = isApart && highs >= steps / 2;
            return grewAgain && (isSteps || isSlope) ? Kind.GROWING : Kind.STILL;
        }

        /**
         * After some of those runs, if there is no time for the others. Growth at each look is a
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
    }
}
