// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.Arrays;

/**
 * The slope of a figure over the times of some snapshots: the sum of the figures, each times its
 * coefficient. For times t with mean m, the least squares give (t − m) / Σ(t − m)².
 */
final class Slope {

    private static final double MICROS_PER_SECOND = 1e6;

    /** Far above what sums of some 100,000 figures are off by, far below what one of them adds. */
    private static final double ROUNDING = 1e-10;

    private final double[] coefficients;

    /** Over the times from number {@code first} on, of which there are two or more. */
    Slope(long[] timesMicros, int first) {
        coefficients = new double[timesMicros.length];
        long[] times = Arrays.copyOfRange(timesMicros, first, timesMicros.length);
        double mean = Arrays.stream(times).mapToDouble(t -> t - times[0]).average().orElse(0);
        double squares = 0;
        for (int i = 0; i < times.length; i++) {
            double distance = (times[i] - times[0] - mean) / MICROS_PER_SECOND;
            coefficients[first + i] = distance;
            squares += distance * distance;
        }
        for (int i = first; i < coefficients.length; i++) {
            coefficients[i] /= squares;
        }
    }

    /** Of two figures, the second minus the first. */
    static Slope difference() {
        return new Slope(new long[] {0, (long) MICROS_PER_SECOND}, 0);
    }

    /**
     * Returns the slope: exactly 0 where all figures are the same, because the coefficients add up
     * to 0. Figures that differ only by rounding count as the same: they are sums, and another
     * order of adding gives another last digit.
     */
    double of(double[] figures) {
        double last = figures[figures.length - 1];
        double sum = 0;
        for (int i = 0; i < figures.length; i++) {
            sum += coefficients[i] * difference(figures[i], last);
        }
        return sum;
    }

    /** Returns how much more the one is than the other, 0 where they differ only by rounding. */
    static double difference(double one, double other) {
        double more = one - other;
        return Math.abs(more) <= ROUNDING * Math.abs(other) ? 0 : more;
    }

    /** Returns the coefficient of one figure. */
    double coefficient(int i) {
        return coefficients[i];
    }

    /** Returns the sum of the coefficients from one number to another, both counted; 0 of all. */
    double sum(int from, int to) {
        double positive = 0;
        double negative = 0;
        for (int i = from; i <= to; i++) {
            positive += Math.max(coefficients[i], 0);
            negative -= Math.min(coefficients[i], 0);
        }
        return difference(positive, negative);
    }
}
