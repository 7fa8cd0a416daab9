// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.Arrays;

/** The little statistics that the figures need. */
final class Statistics {

    /** Two-sided 95 % points of Student's t for 1, 2, ... degrees of freedom. */
    private static final double[] T95 = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
                2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048,
                2.045, 2.042
    };

    /** A mean and the half-width of its 95 % confidence interval. */
    record Mean(double value, double halfWidth) {

        double low() {
            return value - halfWidth;
        }

        double high() {
            return value + halfWidth;
        }
    }

    private Statistics() {}

    static double median(double... values) {
        return quantile(0.5, values);
    }

    /** Returns the value below which the given share of the values lies; 1 for the largest. */
    static double quantile(double share, double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double position = share * (sorted.length - 1);
        int below = (int) position;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
    }

    /** The mean of independent values, which are taken as normally distributed. */
    static Mean mean(double... values) {
        int n = values.length;
        double mean = Arrays.stream(values).average().orElse(Double.NaN);
        if (n < 2) {
            return new Mean(mean, Double.POSITIVE_INFINITY);
        }
        double squares = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum();
        return new Mean(mean, t95(n - 1) * Math.sqrt(squares / (n - 1) / n));
    }

    /**
     * The mean of the values without the lowest and the highest fifth: a few blocks that something
     * else on the machine disturbed do not count. The error is that of Tukey and McLaughlin.
     */
    static Mean trimmedMean(double... values) {
        int cut = values.length / 5;
        int kept = values.length - 2 * cut;
        if (kept < 2) {
            return mean(values);
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double mean = Arrays.stream(sorted, cut, cut + kept).average().orElse(Double.NaN);
        Arrays.fill(sorted, 0, cut, sorted[cut]);
        Arrays.fill(sorted, cut + kept, sorted.length, sorted[cut + kept - 1]);
        double winsorized = Arrays.stream(sorted).average().orElse(Double.NaN);
        double squares = Arrays.stream(sorted).map(v -> (v - winsorized) * (v - winsorized)).sum();
        double deviation = Math.sqrt(squares / (sorted.length - 1));
        double error = deviation * Math.sqrt(sorted.length) / kept;
        return new Mean(mean, t95(kept - 1) * error);
    }

    /** The share of this many in all; the error is that of drawing each of all by itself. */
    static Mean share(int some, int all) {
        double share = (double) some / all;
        return new Mean(share, 1.96 * Math.sqrt(share * (1 - share) / all));
    }

    /** The slope of values at equal distances, per step, whose errors are taken as independent. */
    static Mean slope(double... values) {
        int n = values.length;
        double middle = (n - 1) / 2.0;
        double mean = Arrays.stream(values).average().orElse(Double.NaN);
        double spread = 0;
        double product = 0;
        for (int i = 0; i < n; i++) {
            spread += (i - middle) * (i - middle);
            product += (i - middle) * (values[i] - mean);
        }
        double slope = product / spread;
        double squares = 0;
        for (int i = 0; i < n; i++) {
            double error = values[i] - mean - slope * (i - middle);
            squares += error * error;
        }
        return n < 3
                ? new Mean(slope, Double.POSITIVE_INFINITY)
                : new Mean(slope, t95(n - 2) * Math.sqrt(squares / (n - 2) / spread));
    }

    private static double t95(int freedom) {
        return freedom <= T95.length ? T95[freedom - 1] : 1.96 + 2.5 / freedom;
    }
}
