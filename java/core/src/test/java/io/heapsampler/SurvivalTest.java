// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import org.junit.jupiter.api.Test;

class SurvivalTest {

    private static final long SECOND = 1_000_000;

    private static HeapHistogram collections(double... objects) {
        HeapHistogram histogram = HeapHistogram.empty(HeapHistogram.Unit.COLLECTIONS);
        for (int i = 0; i < objects.length; i++) {
            histogram.add(i, objects[i]);
        }
        return histogram;
    }

    @Test
    void withoutTheLivingItIsTheShareThatDiedLater() {
        Survival survival = Survival.of(collections(50, 30, 0, 20), collections(), 100);

        assertThat(survival.unit()).isEqualTo(HeapHistogram.Unit.COLLECTIONS);
        assertThat(survival.buckets()).isEqualTo(16);
        assertThat(survival.age(3)).isEqualTo(3);
        assertThat(survival.reaching(0)).hasValue(1);
        assertThat(survival.reaching(1)).hasValueCloseTo(0.5, within(1e-12));
        assertThat(survival.reaching(2)).hasValueCloseTo(0.2, within(1e-12));
        assertThat(survival.reaching(3)).hasValueCloseTo(0.2, within(1e-12));
        assertThat(survival.reaching(4)).hasValueCloseTo(0.0, within(1e-12));
        assertThat(survival.reaching(15)).as("all have died").hasValue(0);
    }

    // The error of a share of 100 samples; where each stands for 7 objects it is the same.
    @Test
    void withoutTheLivingItsErrorIsThatOfAShare() {
        Survival plain = Survival.of(collections(50, 30, 0, 20), collections(), 100);
        Survival heavy = Survival.of(collections(350, 210, 0, 140), collections(), 100);

        for (Survival survival : new Survival[] {plain, heavy}) {
            assertThat(survival.standardError(0)).hasValue(0);
            assertThat(survival.standardError(1)).hasValueCloseTo(0.05, within(1e-12));
            assertThat(survival.standardError(2)).hasValueCloseTo(0.04, within(1e-12));
        }
    }

    // By hand: of 100 objects 20 are alive and have met no collection yet, 20 of the other 80 die
    // at the
    // first; 60 enter the next bucket, 10 of them are alive, 15 of the other 50 die.
    @Test
    void byCollectionsTheLivingHaveNotMetTheNextOne() {
        Survival survival = Survival.of(collections(20, 15, 5), collections(20, 10, 30), 100);

        assertThat(survival.reaching(1)).hasValueCloseTo(1 - 20 / 80.0, within(1e-12));
        assertThat(survival.reaching(2))
                .hasValueCloseTo((1 - 20 / 80.0) * (1 - 15 / 50.0), within(1e-12));
        assertThat(survival.reaching(3)).as("all 5 that met it").hasValue(0);
    }

    // All die at their third collection; 100 are born before each of five.
    @Test
    void livingThatAreYoungerThanAllDeathsDoNotCountAsAtRisk() {
        Survival survival = Survival.of(collections(0, 0, 200), collections(0, 100, 100), 400);

        assertThat(survival.reaching(2)).hasValue(1);
        assertThat(survival.reaching(3)).hasValue(0);
    }

    // The same by time, where each was watched through half of its bucket.
    @Test
    void byTimeTheLivingWereWatchedThroughHalfOfTheirBucket() {
        HeapHistogram died = HeapHistogram.empty(HeapHistogram.Unit.MILLISECONDS);
        HeapHistogram alive = HeapHistogram.empty(HeapHistogram.Unit.MILLISECONDS);
        died.add(0, 20);
        died.add(1, 15);
        alive.add(0, 20);
        alive.add(1, 10);
        alive.add(2, 35);
        Survival survival = Survival.of(died, alive, 100);

        assertThat(survival.reaching(1)).hasValueCloseTo(1 - 20 / 90.0, within(1e-12));
        assertThat(survival.reaching(2))
                .hasValueCloseTo((1 - 20 / 90.0) * (1 - 15 / 55.0), within(1e-12));
        assertThat(survival.reaching(3)).as("no object was watched that long").isEmpty();
        assertThat(survival.standardError(3)).isEmpty();
    }

    // Weights are no whole numbers; still no object may be left after the last one.
    @Test
    void sumsOfOddWeightsLeaveNoObject() {
        Survival survival =
                Survival.of(collections(1 / 0.3, 1 / 0.7, 0.1), collections(0.2, 1 / 0.9, 0.3), 9);

        assertThat(survival.reaching(2).orElseThrow()).isBetween(0.0, 1.0);
        assertThat(survival.reaching(4).orElse(0)).isZero();
    }

    @Test
    void whereNothingDiesAllReachTheAgesThatAreKnown() {
        Survival survival = Survival.of(collections(), collections(0, 0, 10), 10);

        assertThat(survival.reaching(2)).hasValue(1);
        assertThat(survival.standardError(2)).hasValue(0);
        assertThat(survival.bucketReachedBy(0.5)).isEmpty();
    }

    @Test
    void ofNothingOnlyTheBeginningIsKnown() {
        Survival survival = Survival.of(collections(), collections(), 0);

        assertThat(survival.reaching(0)).hasValue(1);
        assertThat(survival.reaching(1)).isEmpty();
        assertThat(survival.standardError(1)).isEmpty();
        assertThat(survival.bucketReachedBy(1)).hasValue(0);
    }

    @Test
    void quantilesAreTheFirstAgeThatFewEnoughReach() {
        Survival survival = Survival.of(collections(50, 30, 0, 20), collections(), 100);

        assertThat(survival.bucketReachedBy(0.5)).hasValue(1);
        assertThat(survival.bucketReachedBy(0.49)).hasValue(2);
        assertThat(survival.bucketReachedBy(0)).hasValue(4);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> survival.bucketReachedBy(-0.1))
                .withMessage("share must be from 0 to 1: -0.1");
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> survival.reaching(16));
    }

    // A death at 2 collections of one object, and one alive after 1 that stands for four.
    @Test
    void siteCountsItsLivingAndItsDead() {
        BlockWriter writer = new BlockWriter().info(Info.TAKEN_AT, 10 * SECOND);
        double[] buckets = new double[48];
        buckets[5] = 1;
        buckets[32 + 2] = 1;
        int site =
                writer.site(
                        writer.stack(false, writer.frame("a.A", "m", 3)),
                        writer.name("a.B"),
                        2,
                        5,
                        1,
                        80,
                        100,
                        80,
                        writer.lifetimes(1, buckets));
        writer.living(site, writer.thread(1, "main"), 16, 9 * SECOND, 0, 2, 1, 1);
        HeapSite found = HeapSnapshot.decode(writer.write()).sites().get(0);

        Survival byCollections = found.survival(HeapHistogram.Unit.COLLECTIONS);
        assertThat(byCollections.reaching(2)).hasValue(1);
        assertThat(byCollections.reaching(3)).as("the one that met the third").hasValue(0);
        Survival byTime = found.survival(HeapHistogram.Unit.MILLISECONDS);
        assertThat(byTime.unit()).isEqualTo(HeapHistogram.Unit.MILLISECONDS);
        assertThat(byTime.age(5)).isEqualTo(16);
        // 1 of 5 has died at 16 to 32 ms, the other 4 were watched for a second.
        assertThat(byTime.reaching(5)).hasValue(1);
        assertThat(byTime.reaching(6)).hasValueCloseTo(0.8, within(1e-12));
        assertThat(byTime.reaching(10)).hasValueCloseTo(0.8, within(1e-12));
        assertThat(byTime.reaching(11)).isEmpty();
        assertThat(byTime).isEqualTo(found.survival(HeapHistogram.Unit.MILLISECONDS));
        assertThat(byTime).isNotEqualTo(byCollections);
    }

    @Test
    void unconfirmedObjectsSayNothing() {
        BlockWriter writer = new BlockWriter().info(Info.TAKEN_AT, 10 * SECOND);
        int site = writer.site(writer.stack(false, writer.frame("a.A", "m", 3)), "a.B", 2, 2, 32);
        writer.living(site, writer.thread(1, "main"), 16, 9 * SECOND, 0, 0, 0, 0);
        HeapSite found = HeapSnapshot.decode(writer.write()).sites().get(0);

        assertThat(found.ages().samples()).isEqualTo(1);
        assertThat(found.survival(HeapHistogram.Unit.COLLECTIONS).reaching(1)).isEmpty();
        assertThat(found.survival(HeapHistogram.Unit.MILLISECONDS).reaching(1)).isEmpty();
    }
}
