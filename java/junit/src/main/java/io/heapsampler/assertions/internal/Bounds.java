// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/**
 * Bounds of the truth behind an estimate. Each bound is wrong for at most one in 30,000 figures:
 * those of a Poisson distribution, by Wilson's and Hilferty's approximation, with samples that each
 * stand for as much as an interval does at most. Symmetric bounds would be wrong more often where
 * samples are few: four standard errors around six samples do not reach sixteen, though six or
 * fewer come of sixteen once in 250 times.
 */
final class Bounds {

    /** One in 30,000 normal figures is beyond so many standard errors, to one side. */
    static final double CERTAINTY = 4;

    private Bounds() {}

    /** The least that it can be; 0 or more. */
    static double low(double value, double variance) {
        if (value <= 0 || variance == 0) {
            return Math.max(0, value);
        }
        double samples = value * value / variance;
        double root = 1 - 1 / (9 * samples) - CERTAINTY / (3 * Math.sqrt(samples));
        return root <= 0 ? 0 : value * root * root * root;
    }

    /**
     * The most that it can be. What was not sampled is in no variance; so without any sample, too,
     * there may be some intervals more.
     */
    static double high(double value, double variance, long interval) {
        double scale =
                value > 0 ? Math.max((double) interval, variance / value) : (double) interval;
        if (scale == 0) {
            return value;
        }
        double samples = variance / (scale * scale);
        double root = 1 - 1 / (9 * (samples + 1)) + CERTAINTY / (3 * Math.sqrt(samples + 1));
        return value + scale * ((samples + 1) * root * root * root - samples);
    }
}
