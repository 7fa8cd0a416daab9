// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TrendTest {

    /** Evenly apart in time. */
    private static Trend trend(double[] values) {
        return Trend.at(IntStream.range(0, values.length).asDoubleStream().toArray(), values);
    }

    @Test
    void aStraightLineRisesByItsLength() {
        Trend trend = trend(new double[] {1, 2, 3, 4, 5});

        assertThat(trend.correlation()).isEqualTo(1);
        assertThat(trend.rise()).isCloseTo(4, within(1e-9));
        assertThat(trend.recent().rise()).isCloseTo(2, within(1e-9));
        assertThat(trend.last()).isEqualTo(5);
        assertThat(trend.median()).isEqualTo(3);
    }

    @Test
    void oneOutlierChangesLittle() {
        Trend trend = trend(new double[] {1, 2, 3, 400, 5, 6, 7});

        assertThat(trend.rise()).isCloseTo(6, within(0.5));
        assertThat(trend.correlation()).isGreaterThan(0.6);
    }

    @Test
    void nothingAndOneValueDoNotRise() {
        assertThat(trend(new double[0]).rise()).isZero();
        assertThat(trend(new double[] {7}).correlation()).isZero();
        assertThat(trend(new double[0]).median()).isZero();
    }

    @Test
    void medianIsThatOfTheSortedValues() {
        Random random = new Random(1);
        for (int round = 0; round < 2_000; round++) {
            double[] values = new double[1 + random.nextInt(40)];
            int different = 1 + random.nextInt(50);
            for (int i = 0; i < values.length; i++) {
                int value = random.nextInt(different);
                values[i] = value == 49 ? Double.POSITIVE_INFINITY : value;
            }
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            double expected = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
            assertThat(Trend.median(values)).isEqualTo(expected);
        }
    }

    @Test
    void manyValuesAreThinnedEvenly() {
        double[] values = new double[10_000];
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }
        Trend trend = trend(values);

        assertThat(trend.count()).isEqualTo(64);
        assertThat(trend.rise()).isCloseTo(9_999, within(100.0));
        assertThat(trend.last()).isEqualTo(9_999);
    }

    /** As a history has it after two hours: ten seconds apart, and the last ten minutes one. */
    @Test
    void ticksThatAreNotEvenlyApartTellTheSameRise() {
        List<Tick> ticks = new ArrayList<>();
        for (long at = 0; at < 7_200_000; at += at < 6_600_000 ? 10_000 : 1_000) {
            ticks.add(Samples.tick(at));
        }
        Trend trend = Trend.over(ticks, Tick::atMillis);

        assertThat(trend.count()).isEqualTo(64);
        assertThat(trend.rise()).isCloseTo(7_200_000, within(100_000.0));
        assertThat(trend.recent().rise()).isCloseTo(3_600_000, within(150_000.0));
        assertThat(trend.last()).isEqualTo(7_199_000);
    }

    /**
     * Noise without a trend: 2,000 series of 20 values, seed 5. Kendall's coefficient of such has a
     * standard deviation of 0.16, so that 0.6 is 3.7 of them away: about one in 5,000 on either
     * side. More than 5 of 2,000 would be seen with a chance of less than one in 10,000.
     */
    @Test
    void noiseHardlyEverRises() {
        Random random = new Random(5);
        int rising = 0;
        for (int run = 0; run < 2_000; run++) {
            double[] values = random.doubles(20).toArray();
            rising += trend(values).correlation() >= 0.6 ? 1 : 0;
        }
        assertThat(rising).isLessThanOrEqualTo(5);
    }
}
