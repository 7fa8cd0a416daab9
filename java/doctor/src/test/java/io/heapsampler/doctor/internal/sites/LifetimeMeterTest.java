// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.atIndex;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.doctor.Lifetimes;
import io.heapsampler.doctor.Shot;
import io.heapsampler.doctor.SiteLifetime;
import org.junit.jupiter.api.Test;

class LifetimeMeterTest {

    /** All die in one bucket: by time, and by collections. */
    private static double[] deaths(int timeBucket, int collections, double count) {
        double[] buckets = new double[48];
        buckets[timeBucket] = count;
        buckets[32 + collections] = count;
        return buckets;
    }

    @Test
    void requestsOfAMillisecondAndSessionsOfHalfAMinuteHaveABoundary() {
        Shot shot = new Shot(1_000_000, 1_100_000);
        shot.site("a.Request", "serve", 900_000_000, 1000, deaths(1, 0, 1000));
        shot.site("a.Session", "login", 100_000_000, 1000, deaths(15, 12, 1000));
        Lifetimes lifetimes = LifetimeMeter.measure(shot.take(), 50);

        assertThat(lifetimes.hasBoundary()).isTrue();
        assertThat(lifetimes.shortMillis()).isEqualTo(2);
        assertThat(lifetimes.longMillis()).isEqualTo(16_384);
        assertThat(lifetimes.shortShare()).isCloseTo(0.9, within(1e-6));
        assertThat(lifetimes.boundaryMillis()).isBetween(150.0, 200.0);
        // 10 MiB and half a collection a second, for 0.18 s
        assertThat(lifetimes.boundaryBytes()).isCloseTo(1_810_000, within(20_000.0));
        assertThat(lifetimes.boundaryCollections()).isCloseTo(0.09, within(0.01));
        assertThat(lifetimes.text())
                .startsWith("90 % of the allocated bytes are dead after 2 ms, the rest live 16 s");
        assertThat(lifetimes.sites())
                .extracting(SiteLifetime::medianMillis)
                .containsExactly(2L, 32_768L);
        assertThat(lifetimes.sites())
                .extracting(SiteLifetime::survivingOne)
                .containsExactly(0.0, 1.0);
        assertThat(lifetimes.sites().get(0).reaching()).hasSize(32).startsWith(1.0, 1.0, 0.0);
        assertThat(lifetimes.sites().get(0).reachingCollections()).startsWith(1.0, 0.0);
        assertThat(lifetimes.sites().get(1).reachingCollections().subList(0, 14))
                .containsOnly(1.0, 0.0)
                .contains(1.0, atIndex(12))
                .contains(0.0, atIndex(13));
    }

    @Test
    void oneKindHasNone() {
        Shot shot = new Shot(1_000_000, 1_100_000);
        shot.site("a.Request", "serve", 900_000_000, 1000, deaths(1, 0, 1000));
        Lifetimes lifetimes = LifetimeMeter.measure(shot.take(), 50);

        assertThat(lifetimes.hasBoundary()).isFalse();
        assertThat(lifetimes.text()).isEmpty();
        assertThat(lifetimes.boundaryMillis()).isEqualTo(-1);
    }

    /** For each bucket of time, the bytes of the objects that die in it. */
    private static Lifetimes dying(int[] buckets, long... bytes) {
        Shot shot = new Shot(1_000_000, 1_100_000);
        for (int i = 0; i < buckets.length; i++) {
            shot.site("a.C" + i, "make", bytes[i], 1000, deaths(buckets[i], 0, 1000));
        }
        return LifetimeMeter.measure(shot.take(), 50);
    }

    @Test
    void aBoundaryIsThreePowersOfTwoWide() {
        assertThat(dying(new int[] {1, 5}, 500, 500).hasBoundary()).isTrue();
        assertThat(dying(new int[] {1, 4}, 500, 500).hasBoundary()).isFalse();
    }

    @Test
    void bothKindsAreAFiftiethOfAllAndAHundredthDiesInBetween() {
        assertThat(dying(new int[] {1, 9}, 20, 980).hasBoundary()).isTrue();
        assertThat(dying(new int[] {1, 9}, 19, 981).hasBoundary()).isFalse();
        assertThat(dying(new int[] {1, 9}, 980, 20).hasBoundary()).isTrue();
        assertThat(dying(new int[] {1, 9}, 981, 19).hasBoundary()).isFalse();
        assertThat(dying(new int[] {1, 4, 7}, 491, 9, 500).longMillis()).isEqualTo(64);
        assertThat(dying(new int[] {1, 4, 7}, 490, 10, 500).hasBoundary()).isFalse();
    }

    @Test
    void theWidestIsTakenAndTheFirstOfThese() {
        assertThat(dying(new int[] {1, 6, 12}, 300, 300, 400).shortMillis()).isEqualTo(64);
        assertThat(dying(new int[] {1, 6, 11}, 300, 300, 400).shortMillis()).isEqualTo(2);
        assertThat(dying(new int[] {1, 7, 11}, 300, 300, 400).longMillis()).isEqualTo(64);
    }

    @Test
    void tenSitesAreListedAndAllAreCounted() {
        int[] buckets = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9};
        long[] bytes = {90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 80};
        Lifetimes lifetimes = dying(buckets, bytes);

        assertThat(lifetimes.sites()).hasSize(10);
        assertThat(lifetimes.shortShare()).isCloseTo(900.0 / 980, within(1e-9));
    }

    /** Half and a quarter have died after 2 ms; the others were watched for the given time. */
    private static Lifetimes watchedFor(long millis) {
        Shot shot = new Shot(1_000_000, 1_100_000);
        int half = shot.site("a.Half", "make", 500, 10, deaths(1, 0, 10));
        int quarter = shot.site("a.Quarter", "make", 500, 5, deaths(1, 0, 5));
        shot.live(half, 10, 50, 1_100_000 - millis, 1);
        shot.live(quarter, 15, 50, 1_100_000 - millis, 1);
        return LifetimeMeter.measure(shot.take(), 50);
    }

    @Test
    void theCurveEndsWithWhatWasWatched() {
        assertThat(watchedFor(10).hasBoundary()).isFalse();
        Lifetimes longer = watchedFor(100);
        assertThat(longer.shortMillis()).isEqualTo(2);
        assertThat(longer.longMillis()).isEqualTo(64);
        assertThat(longer.shortShare()).isCloseTo(0.375, within(1e-9));
        assertThat(longer.sites()).extracting(SiteLifetime::medianMillis).containsExactly(2L, -1L);
    }

    /** Ten at risk tell something, nine do not. */
    @Test
    void theCurveEndsWhereFewAreAtRisk() {
        for (int old : new int[] {9, 10}) {
            Shot shot = new Shot(1_000_000, 1_100_000);
            int site = shot.site("a.Site", "make", 1000, 50, deaths(1, 0, 50));
            shot.live(site, 50 - old, 50, 1_100_000 - 4, 1);
            shot.live(site, old, 50, 1_100_000 - 60_000, 1);
            Lifetimes lifetimes = LifetimeMeter.measure(shot.take(), 50);

            assertThat(lifetimes.longMillis()).isEqualTo(old == 9 ? -1 : 32_768);
        }
    }

    /** Of a site that was not watched as long as the others nothing is made up. */
    @Test
    void aSiteThatWasWatchedForLessTimeMakesNoPlateau() {
        Shot shot = new Shot(1_000_000, 1_100_000);
        shot.site("a.Request", "serve", 500, 100, deaths(8, 0, 100));
        int young = shot.site("a.Young", "make", 480, 10, deaths(1, 0, 10));
        shot.live(young, 90, 50, 1_100_000 - 3, 1);
        Lifetimes lifetimes = LifetimeMeter.measure(shot.take(), 50);

        // Half of all bytes is not known to live longer than 2 ms.
        assertThat(lifetimes.longMillis()).isNotEqualTo(1L << 30);
        assertThat(lifetimes.longMillis()).isLessThanOrEqualTo(128);
    }

    @Test
    void sitesOfFewSamplesOrOfWhichNothingIsKnownHaveNone() {
        Shot shot = new Shot(1_000_000, 1_100_000);
        shot.samples = 9;
        shot.site("a.Few", "make", 1000, 9, deaths(9, 0, 9));
        shot.samples = 10;
        shot.site("a.Ten", "make", 1000, 10, deaths(1, 0, 10));
        shot.unconfirmed(shot.site("a.New", "make", 1000), 10, 100, 1_099_000);
        Lifetimes lifetimes = LifetimeMeter.measure(shot.take(), 50);

        assertThat(lifetimes.sites()).extracting(SiteLifetime::className).containsExactly("a.Ten");
        assertThat(lifetimes.hasBoundary()).isFalse();
    }

    @Test
    void nothingHasNone() {
        assertThat(LifetimeMeter.measure(new Shot(1_000_000, 1_100_000).take(), 0).sites())
                .isEmpty();
    }
}
