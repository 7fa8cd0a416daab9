// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

/** The beta distribution, whose distribution function is the tail of a binomial one. */
final class BetaDistribution {

    private static final double PRECISION = 1e-12;
    private static final double TINY = 1e-300;
    private static final int MOST_STEPS = 20_000;
    private static final int STIRLING_FROM = 10;

    private BetaDistribution() {}

    /**
     * Returns the chance of a value up to x, the regularised incomplete beta function. For whole
     * numbers a and b it is the chance of a or more successes in a + b − 1 trials with the chance x
     * each.
     *
     * @param x from 0 to 1
     * @param a more than 0
     * @param b more than 0
     */
    static double below(double x, double a, double b) {
        if (x <= 0 || x >= 1) {
            return x <= 0 ? 0 : 1;
        }
        double scale =
                Math.exp(
                        a * Math.log(x)
                                + b * Math.log1p(-x)
                                + logGamma(a + b)
                                - logGamma(a)
                                - logGamma(b));
        // The fraction converges fast below the mean; above it, the other tail is below its own.
        return x < (a + 1) / (a + b + 2)
                ? scale * fraction(x, a, b) / a
                : 1 - scale * fraction(1 - x, b, a) / b;
    }

    /** The continued fraction of the incomplete beta function, by Lentz's method. */
    private static double fraction(double x, double a, double b) {
        double c = 1;
        double d = 1 / nonZero(1 - (a + b) * x / (a + 1));
        double value = d;
        for (int m = 1; m <= MOST_STEPS; m++) {
            double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 / nonZero(1 + even * d);
            c = nonZero(1 + even / c);
            value *= c * d;
            double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
            d = 1 / nonZero(1 + odd * d);
            c = nonZero(1 + odd / c);
            value *= c * d;
            if (Math.abs(c * d - 1) < PRECISION) {
                break;
            }
        }
        return value;
    }

    private static double nonZero(double x) {
        return Math.abs(x) < TINY ? TINY : x;
    }

    /** Stirling's series, for which small arguments are raised first. */
    static double logGamma(double x) {
        double raised = x;
        double product = 1;
        while (raised < STIRLING_FROM) {
            product *= raised;
            raised++;
        }
        double inverse = 1 / (raised * raised);
        double series =
                (1 / 12.0 + inverse * (-1 / 360.0 + inverse * (1 / 1260.0 - inverse / 1680.0)))
                        / raised;
        return (raised - 0.5) * Math.log(raised)
                - raised
                + 0.5 * Math.log(2 * Math.PI)
                + series
                - Math.log(product);
    }
}
