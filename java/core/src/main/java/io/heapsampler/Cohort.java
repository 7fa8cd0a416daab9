// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

/**
 * The objects of one site that were first confirmed in the same snapshot: how many there are in it
 * and in those after it, and the variance of their bytes.
 */
final class Cohort {

    /** Weights are powers of 2 apart, so less than this is no change of them. */
    private static final double SAME_WEIGHT = 1.01;

    private final int first;
    private final double[] variance;
    private final double[] objects;
    private final int[] samples;

    Cohort(int first, int snapshots) {
        this.first = first;
        variance = new double[snapshots];
        objects = new double[snapshots];
        samples = new int[snapshots];
    }

    /** Adds a sample that was taken and kept with a chance. */
    void add(int snapshot, double size, double chance) {
        variance[snapshot] += size * size * (1 - chance) / (chance * chance);
        objects[snapshot] += 1 / chance;
        samples[snapshot]++;
    }

    /**
     * Returns the variance that this cohort adds to a slope.
     *
     * <p>An object adds its weight to each snapshot it lives in, so its part of the variance counts
     * with the square of the sum of their coefficients. Objects that were last seen in snapshot k
     * all have the same sum; their part of the variance is what k has more than k + 1. Where the
     * table was thinned between the two, the survivors have got a variance that they did not have
     * before, and which counts from k + 1 on only.
     */
    double variance(Slope slope) {
        int last = variance.length - 1;
        double sum = 0;
        for (int k = first; k <= last; k++) {
            double next = k < last ? variance[k + 1] : 0;
            double survived = k < last && isThinned(k) ? variance[k] * share(k) : next;
            sum +=
                    square(slope.sum(first, k))
                            * Math.max(Slope.difference(variance[k], survived), 0);
            if (k < last) {
                sum +=
                        square(slope.sum(k + 1, last))
                                * Math.max(Slope.difference(next, survived), 0);
            }
        }
        return sum;
    }

    /** Does a sample stand for more in the next snapshot? */
    private boolean isThinned(int k) {
        return samples[k] > 0
                && samples[k + 1] > 0
                && objects[k + 1] / samples[k + 1] > SAME_WEIGHT * objects[k] / samples[k];
    }

    /** Returns the share of the objects that are in the next snapshot, too. */
    private double share(int k) {
        return Math.min(objects[k + 1] / objects[k], 1);
    }

    private static double square(double x) {
        return x * x;
    }
}
