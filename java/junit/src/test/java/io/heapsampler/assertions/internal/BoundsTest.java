// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.internal.Measured.Bounds;
import org.junit.jupiter.api.Test;

/** How often the bounds of an estimate are wrong: computed, not drawn. */
class BoundsTest {

    private static final double RATE = 1 / 30_000.0;

    private static final double[] LOG_FACTORIALS = new double[1_000];

    static {
        for (int i = 2; i < LOG_FACTORIALS.length; i++) {
            LOG_FACTORIALS[i] = LOG_FACTORIALS[i - 1] + Math.log(i);
        }
    }

    /** With small objects and an interval of 1, the samples are an estimate with this variance. */
    private static double low(int samples) {
        return Bounds.low(samples, samples);
    }

    private static double high(int samples) {
        return Bounds.high(samples, samples, 1);
    }

    /** The truth lies at the limit: a figure beyond the bounds gives a wrong verdict. */
    @Test
    void aVerdictIsWrongAsSeldomAsStated() {
        for (double limit = 16; limit <= 600; limit += 0.25) {
            double passes = 0;
            double fails = 0;
            for (int samples = 0; samples < 1_000; samples++) {
                passes += high(samples) < limit ? chance(samples, limit) : 0;
                fails += low(samples) > limit ? chance(samples, limit) : 0;
            }
            assertThat(passes).as("passes at %s", limit).isLessThan(RATE);
            assertThat(fails).as("fails at %s", limit).isLessThan(RATE);
        }
    }

    /** Of Poisson's distribution. */
    private static double chance(int samples, double mean) {
        return Math.exp(samples * Math.log(mean) - mean - LOG_FACTORIALS[samples]);
    }

    @Test
    void unsampledBytesMayBeThereButIntervalZeroSeesAll() {
        assertThat(Bounds.high(0, 0, 1_000)).isBetween(10_000.0, 11_000.0);
        assertThat(Bounds.high(5_000_000, 0, 1_000)).isBetween(5_010_000.0, 5_011_000.0);
        assertThat(Bounds.low(5_000_000, 0)).isEqualTo(5_000_000);
        assertThat(Bounds.high(500, 0, 0)).isEqualTo(500);
        assertThat(Bounds.low(0, 0)).isZero();
    }
}
