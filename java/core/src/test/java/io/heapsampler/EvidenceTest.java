// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EvidenceTest {

    private final Random random = new Random(24);

    private static double[] sizes(int count, double size) {
        double[] sizes = new double[count];
        Arrays.fill(sizes, size);
        return sizes;
    }

    /** Sizes that are evenly spread on a logarithmic scale. */
    private static double[] spread(int count, double smallest, double largest) {
        double[] sizes = new double[count];
        for (int i = 0; i < count; i++) {
            sizes[i] = smallest * Math.pow(largest / smallest, (i + 0.5) / count);
        }
        return sizes;
    }

    /** An interval below 1 is the chance itself. */
    private void sample(Evidence evidence, double[] sizes, double interval, int sign) {
        for (double size : sizes) {
            double chance = interval < 1 ? interval : -Math.expm1(-size / interval);
            if (random.nextDouble() < chance) {
                evidence.add(sign / chance, size, 1 - chance);
            }
        }
    }

    private Evidence evidence(double[] fresh, double[] gone, double interval) {
        return evidence(fresh, interval, gone, interval);
    }

    /** New objects and those that are gone, each drawn with an interval of their own. */
    private Evidence evidence(double[] fresh, double interval, double[] gone, double earlier) {
        Evidence evidence = new Evidence();
        sample(evidence, fresh, interval, 1);
        sample(evidence, gone, earlier, -1);
        evidence.mayHaveMissed(unseen(gone, earlier), unseen(fresh, interval));
        return evidence;
    }

    /** As {@link Unseen} has it. */
    private static double unseen(double[] sizes, double interval) {
        double largest = Arrays.stream(sizes).max().orElse(0);
        return interval < 1 ? largest * (1 / interval - 1) : interval;
    }

    /**
     * Returns the share of runs, in which as many bytes go as come, with a chance up to a level.
     */
    private double share(int runs, double[] fresh, double[] gone, double interval, double level) {
        return share(runs, fresh, interval, gone, interval, level);
    }

    private double share(
            int runs,
            double[] fresh,
            double interval,
            double[] gone,
            double earlier,
            double level) {
        int below = 0;
        for (int i = 0; i < runs; i++) {
            below += evidence(fresh, interval, gone, earlier).chance() <= level ? 1 : 0;
        }
        return below / (double) runs;
    }

    // 5,000 runs each: at a level of 0.01 there are 50, with an error of 7. The bound is 5 errors
    // above. Seed 24.
    @Test
    void growthThatIsNoneIsSeldomUnlikely() {
        double[] few = sizes(64, 64);
        double[] many = sizes(320, 64);
        double[] mixed = spread(200, 16, 65_536);
        double[] large = sizes(20, 102_400);
        double[] small = sizes(1_000, 2_048);

        assertThat(share(5_000, few, few, 512, 0.01)).isLessThan(0.017);
        assertThat(share(5_000, many, many, 512, 0.01)).isLessThan(0.017);
        assertThat(share(5_000, mixed, mixed, 65_536, 0.01)).isLessThan(0.017);
        assertThat(share(5_000, mixed, mixed, 0.1, 0.01)).isLessThan(0.017);
        assertThat(share(5_000, large, small, 65_536, 0.01)).isLessThan(0.017);
        assertThat(share(5_000, small, large, 65_536, 0.01)).isLessThan(0.017);
    }

    // Of the objects that are gone 1, 2 and 4 samples are expected, of the new ones 8 times as
    // many,
    // or all of them. The same runs and bound as above, and at a level of 1 in 1,000 the bound is 5
    // errors above the 5 runs.
    @Test
    void lighterSamplesAreNoGrowth() {
        for (int objects : new int[] {512, 1_024, 2_048}) {
            double[] same = sizes(objects, 1_024);
            assertThat(share(5_000, same, 65_536, same, 524_288, 0.01)).isLessThan(0.017);
            assertThat(share(5_000, same, 0.999_999, same, 524_288, 0.01)).isLessThan(0.017);
            assertThat(share(5_000, same, 65_536, same, 524_288, 0.001)).isLessThan(0.0033);
            assertThat(share(5_000, same, 0.5, same, 0.5 / 256, 0.01)).isLessThan(0.017);
        }
    }

    // And the other way round.
    @Test
    void heavierSamplesAreNoGrowth() {
        double[] same = sizes(1_024, 1_024);
        assertThat(share(5_000, same, 524_288, same, 65_536, 0.01)).isLessThan(0.017);
        assertThat(share(5_000, same, 524_288, same, 0.999_999, 0.01)).isLessThan(0.017);
    }

    @Test
    void samplesOfOneWeightAreTestedExactly() {
        Evidence evidence = new Evidence();
        for (int i = 0; i < 12; i++) {
            evidence.add(8, 64, 1);
        }
        assertThat(evidence.chance()).isCloseTo(Math.pow(0.5, 12), within(1e-12));
        for (int i = 0; i < 3; i++) {
            evidence.add(-8, 64, 1);
        }

        // 12 or more heads in 15 tosses: 455 + 105 + 15 + 1 of 32,768.
        assertThat(evidence.chance()).isCloseTo(576 / 32_768.0, within(1e-12));
        assertThat(evidence.bytes(0).standardError()).isEqualTo(512 * Math.sqrt(15));
        assertThat(evidence.bytes(0).samples()).isEqualTo(15);
    }

    // 12 samples of 512 bytes against a missed one of 4,096: (8 / 9) to the power of 12.
    @Test
    void aMissedSampleHasTheWeightThatItCouldHaveHad() {
        Evidence evidence = new Evidence();
        for (int i = 0; i < 12; i++) {
            evidence.add(8, 64, 1);
        }
        evidence.mayHaveMissed(4_096, 512);

        assertThat(evidence.chance()).isCloseTo(Math.pow(8 / 9.0, 12), within(1e-12));
        assertThat(evidence.bytes(0).standardError())
                .as("of the new ones and the missed one")
                .isEqualTo(Math.hypot(512 * Math.sqrt(12), 4_096));
    }

    // The new objects are exact: 20 KiB. None is gone, with chance exp(-20 KiB / 512 KiB) at most.
    @Test
    void exactGrowthAfterSamplesIsNotCertain() {
        Evidence evidence = new Evidence();
        for (int i = 0; i < 20; i++) {
            evidence.add(1, 1_024, 0);
        }
        evidence.mayHaveMissed(524_288, 0);

        assertThat(evidence.chance()).isCloseTo(Math.exp(-20 / 512.0), within(1e-6));
        assertThat(evidence.bytes(20_480).standardError()).isEqualTo(524_288);
    }

    @Test
    void whatIsExactIsCertain() {
        Evidence grown = new Evidence();
        grown.add(1, 64, 0);
        Evidence same = new Evidence();
        same.add(1, 64, 0);
        same.add(-1, 64, 0);

        assertThat(grown.chance()).isZero();
        assertThat(grown.isEnough()).isTrue();
        assertThat(same.chance()).isEqualTo(1);
        assertThat(new Evidence().chance()).isEqualTo(1);
        assertThat(new Evidence().isEnough()).as("nothing has changed").isFalse();
    }

    @Test
    void ofFewSamplesNothingIsSaid() {
        Evidence evidence = new Evidence();
        for (int i = 0; i < 9; i++) {
            evidence.add(8, 64, 0.9);
        }
        assertThat(evidence.isEnough()).isFalse();
        evidence.add(-8, 64, 0.9);

        assertThat(evidence.isEnough()).isTrue();
    }

    @Test
    void tailsOfTheBinomialDistributionAreRight() {
        for (int trials : new int[] {1, 7, 40, 300}) {
            for (double chance : new double[] {0.02, 0.3, 0.5, 0.9}) {
                double tail = 0;
                for (int k = trials; k >= 1; k--) {
                    tail += probability(k, trials, chance);
                    assertThat(BetaDistribution.below(chance, k, trials - k + 1))
                            .isCloseTo(tail, withinPercentage(1e-6));
                }
            }
        }
    }

    private static double probability(int k, int trials, double chance) {
        double log = k * Math.log(chance) + (trials - k) * Math.log1p(-chance);
        for (int i = 1; i <= k; i++) {
            log += Math.log((trials - k + i) / (double) i);
        }
        return Math.exp(log);
    }

    @Test
    void largeSumsAreJudgedToo() {
        assertThat(BetaDistribution.below(0.5, 1e6, 1e6)).isCloseTo(0.5, within(1e-6));
        assertThat(BetaDistribution.below(0.5, 1.002e6, 1e6)).isCloseTo(0.0786, within(1e-3));
        assertThat(BetaDistribution.below(0, 2, 3)).isZero();
        assertThat(BetaDistribution.below(1, 2, 3)).isEqualTo(1);
    }

    /**
     * 60 runs of 900 sites that stay the same and 100 that grow threefold. The mean share of false
     * ones is 5 % at most, and less for few samples; its error is below 1 %. Seed 24.
     */
    @Test
    void atMostOneInTwentyOfTheListIsFalse() {
        double[] same = sizes(64, 64);
        double[] grown = sizes(192, 64);
        double wrong = 0;
        double found = 0;
        for (int run = 0; run < 60; run++) {
            List<double[]> sites = new ArrayList<>(Collections.nCopies(900, same));
            sites.addAll(Collections.nCopies(100, grown));
            List<Double> chances = new ArrayList<>();
            for (double[] fresh : sites) {
                Evidence evidence = evidence(fresh, same, 512);
                if (evidence.isEnough()) {
                    // The sites that grow have a sign, which tells them from the others.
                    chances.add(fresh == grown ? -evidence.chance() : evidence.chance());
                }
            }
            List<Double> list = Evidence.discoveries(chances, Math::abs);
            double ofSame = list.stream().filter(chance -> chance > 0).count();
            wrong += ofSame / Math.max(1, list.size());
            found += list.size() - ofSame;
        }

        assertThat(wrong / 60).as("false").isLessThan(0.05);
        assertThat(found / 60 / 100).as("found of those that grow").isGreaterThan(0.1);
    }

    @Test
    void aListOfNothingIsEmpty() {
        assertThat(Evidence.discoveries(List.<Double>of(), Double::doubleValue)).isEmpty();
        assertThat(Evidence.discoveries(List.of(0.06), Double::doubleValue)).isEmpty();
        assertThat(Evidence.discoveries(List.of(0.05), Double::doubleValue)).containsExactly(0.05);
        assertThat(Evidence.discoveries(List.of(0.9, 0.04, 0.03, 0.001), Double::doubleValue))
                .containsExactly(0.001);
        // Each is beyond its own limit but the last: 0.04 is below 5 % of 3 of 3.
        assertThat(Evidence.discoveries(List.of(0.04, 0.038, 0.036), Double::doubleValue))
                .hasSize(3);
    }
}
