// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import static org.assertj.core.api.Assertions.assertThat;
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
        // 10 MB and half a collection a second, for 0.18 s
        assertThat(lifetimes.boundaryBytes()).isCloseTo(1_810_000, within(20_000.0));
        assertThat(lifetimes.boundaryCollections()).isCloseTo(0.09, within(0.01));
        assertThat(lifetimes.text())
                .startsWith("90 % of what is allocated is dead after 2 ms, the rest lives 16 s");
        assertThat(lifetimes.sites())
                .extracting(SiteLifetime::medianMillis)
                .containsExactly(2L, 32_768L);
        assertThat(lifetimes.sites())
                .extracting(SiteLifetime::survivingOne)
                .containsExactly(0.0, 1.0);
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

    @Test
    void nothingHasNone() {
        assertThat(LifetimeMeter.measure(new Shot(1_000_000, 1_100_000).take(), 0).sites())
                .isEmpty();
    }
}
