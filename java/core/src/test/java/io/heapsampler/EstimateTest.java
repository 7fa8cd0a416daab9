// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EstimateTest {

    private static final double Z95 = 1.96;

    @Test
    void boundsAreTheTruthsThatTheValueIsNotTooFarFrom() {
        double[][] figures = {{100, 100}, {1000, 1e6}, {5e6, 3e12}, {40, 1600}, {7, 0.01}};
        for (double[] figure : figures) {
            Estimate estimate = Estimate.of(figure[0], figure[1], 0, 20);
            for (double truth : new double[] {estimate.low(), estimate.high()}) {
                double error = Math.sqrt(truth * figure[1] / figure[0]);
                assertThat(Math.abs(figure[0] - truth)).isCloseTo(Z95 * error, within(1e-6));
            }
            assertThat(estimate.low()).isPositive().isLessThan(figure[0]);
            assertThat(estimate.high()).isGreaterThan(figure[0]);
        }
    }

    // With many samples they are those of the normal distribution: 10,000 give 1 % and 2 in 10,000.
    @Test
    void withManySamplesBoundsAreSymmetric() {
        Estimate estimate = Estimate.of(1e6, 1e8, 0, 10_000);

        assertThat(estimate.low()).isCloseTo(1e6 - 19_600, within(200.0));
        assertThat(estimate.high()).isCloseTo(1e6 + 19_600, within(200.0));
    }

    /**
     * Objects of one size, much smaller than the interval: the samples are Poisson. The chance that
     * the bounds hold the truth is a sum over all numbers of samples, without any simulation.
     */
    @ParameterizedTest
    @ValueSource(ints = {12, 15, 20, 30, 50, 80, 120, 200, 400})
    void boundsHoldTheTruthIn95Of100Runs(int expected) {
        double weight = 524_288;
        double truth = expected * weight;
        double chance = Math.exp(-expected);
        double covered = 0;
        for (int samples = 0; samples < 4 * expected + 40; samples++) {
            Estimate estimate =
                    Estimate.of(samples * weight, samples * weight * weight, 16 * samples, samples);
            if (estimate.low() <= truth && truth <= estimate.high()) {
                covered += chance;
            }
            chance *= (double) expected / (samples + 1);
        }

        assertThat(covered).isBetween(0.93, 0.97);
    }

    @Test
    void ofFewSamplesItSaysSo() {
        assertThat(Estimate.of(900, 81_000, 9, 9).hasTooFewSamples()).isTrue();
        assertThat(Estimate.of(1000, 100_000, 10, 10).hasTooFewSamples()).isFalse();
        assertThat(Estimate.of(3, 0, 3, 3).hasTooFewSamples()).as("exact").isFalse();
        assertThat(Estimate.ZERO.hasTooFewSamples()).isFalse();
        assertThat(Estimate.of(900, 81_000, 9, 9)).hasToString("900 (too few samples: 9)");
        assertThat(Estimate.of(3, 0, 3, 3)).hasToString("3 ± 0 (95 %, 3 samples)");
    }

    // 30 objects that were sampled for sure, and one that stands for 1,000.
    @Test
    void fewHeavySamplesAmongManyLightOnesAreFew() {
        assertThat(Estimate.of(1030, 999_000, 31, 31).hasTooFewSamples()).isTrue();
        assertThat(Estimate.of(10_030, 9_990_000, 40, 40).hasTooFewSamples()).isFalse();
    }

    @Test
    void exactFiguresHaveNoWidth() {
        Estimate exact = Estimate.of(48, 0, 48, 3);

        assertThat(exact.low()).isEqualTo(48);
        assertThat(exact.high()).isEqualTo(48);
    }

    @Test
    void figuresThatMayBeNegativeHaveSymmetricBounds() {
        Estimate slope = Estimate.signed(10, 100, 12);

        assertThat(slope.low()).isCloseTo(10 - 19.6, within(1e-9));
        assertThat(slope.high()).isCloseTo(10 + 19.6, within(1e-9));
        assertThat(Estimate.signed(-10, 100, 12).high()).isCloseTo(9.6, within(1e-9));
    }
}
