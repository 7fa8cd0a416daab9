// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static io.heapsampler.GrowthShot.LIVE;
import static io.heapsampler.GrowthShot.SECOND;
import static io.heapsampler.GrowthShot.UNCONFIRMED;
import static io.heapsampler.GrowthShot.growthOf;
import static io.heapsampler.GrowthShot.leakAndCaches;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The standard errors of {@link HeapGrowth}, against their formulas. */
class HeapGrowthErrorTest {

    // Each snapshot reads the clock of the wall anew, so the same births are some microseconds
    // apart.
    @Test
    void whatLivesInAllSnapshotsHasNoError() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            GrowthShot shot = new GrowthShot(10 * i + 10);
            int site = shot.site("a.Cache");
            for (int j = 0; j < 100; j++) {
                long born = 5 * SECOND + j + 20 * (i % 3);
                shot.writer.living(site, shot.thread, 24, born, 4_096, 0, LIVE, i);
            }
            snapshots.add(shot.take());
        }
        SiteGrowth cache = HeapGrowth.of(snapshots).sites().get(0);

        assertThat(cache.bytesPerSecond().standardError()).isZero();
        assertThat(cache.recentBytesPerSecond().standardError()).isZero();
    }

    @Test
    void whatLivesThroughAllAddsNoError() {
        SiteGrowth table = growthOf(leakAndCaches(), "a.Table");

        assertThat(table.bytesPerSecond().value()).isCloseTo(0, within(1e-6));
        assertThat(table.bytesPerSecond().standardError()).isCloseTo(0, within(1e-6));
    }

    /**
     * Returns the slope of a table that has 500 samples at first, each for 4 objects. From the
     * fourth snapshot on it has fewer samples, each for 8 objects.
     *
     * @param left samples from then on
     */
    private static Estimate slopeOfThinnedTable(int left) {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            GrowthShot shot = new GrowthShot(10 * i + 10);
            shot.add(shot.site("a.Table"), i < 3 ? 500 : left, 2, i < 3 ? 2 : 3, LIVE, i);
            snapshots.add(shot.take());
        }
        return growthOf(snapshots, "a.Table").bytesPerSecond();
    }

    // A table that stays the same is thinned between the third and the fourth snapshot: 500 samples
    // that stand for 4, of variance 12e6 each, become 250 that stand for 8, of variance 56e6. What
    // is new of the variance counts from the fourth on, where the coefficients add up to
    // (5 + 15 + 25) / 1,750.
    @Test
    void thinningBetweenSnapshotsAddsError() {
        Estimate slope = slopeOfThinnedTable(250);
        double rise = 250 * 56e6 - 500 * 12e6;

        assertThat(slope.value()).isZero();
        assertThat(slope.standardError()).isCloseTo(45 / 1750.0 * Math.sqrt(rise), within(1e-6));
    }

    // The same, and half of its objects die at the same time. A sample that is gone may have been
    // thinned out, so all 375 count with the square of what they add, and the 125 others add as
    // much:
    // they stand for 4 more from the fourth snapshot on.
    @Test
    void deathsAreNotHiddenByThinning() {
        Estimate slope = slopeOfThinnedTable(125);

        assertThat(slope.standardError())
                .isCloseTo(45 / 1750.0 * Math.sqrt(500 * 16e6), within(1e-6));
    }

    // An object that is not confirmed in the first snapshot counts from the second on: its
    // coefficients then add up to 25 / 1,750, not to 0. None is gone. One that was missed may have
    // stood for 3,000 bytes beyond its own, and its coefficients add up to -45 / 1,750 at the
    // least.
    @Test
    void objectCountsFromTheSnapshotThatConfirmsIt() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            GrowthShot shot = new GrowthShot(10 * i + 10);
            shot.add(shot.site("a.Old"), 1, 1, 0, LIVE, i);
            shot.add(shot.site("a.Late"), 100, 9, 2, i == 0 ? UNCONFIRMED : LIVE, i);
            snapshots.add(shot.take());
        }

        assertThat(growthOf(snapshots, "a.Late").bytesPerSecond().standardError())
                .isCloseTo(
                        Math.hypot(25 / 1750.0 * Math.sqrt(100 * 12e6), 45 / 1750.0 * 3000),
                        within(1e-6));
    }

    // Times 10 to 60 s, mean 35, squares 1,750: the coefficients are -25, -15 .. 25 over 1,750.
    // Each
    // snapshot has entries of its own, of variance 1000² * (1 - p) / p² = 12e6 at p = 1/4.
    @Test
    void entriesOfOneSnapshotEachAddTheirOwnError() {
        SiteGrowth cache = growthOf(leakAndCaches(), "a.Cache");
        double[] from = {-25, -15, -5, 5, 15, 25};
        double[] entries = {400, 410, 400, 410, 400, 410};
        double variance = 0;
        for (int i = 0; i < from.length; i++) {
            variance += Math.pow(from[i] / 1750, 2) * entries[i] * 12e6;
        }

        assertThat(cache.bytesPerSecond().standardError())
                .isCloseTo(Math.sqrt(variance), within(1e-6));
    }

    // Cohort j is in the snapshots from j on: its factor is the sum of their coefficients. None is
    // gone, so one that was missed adds an error, as above.
    @Test
    void entriesOfSeveralSnapshotsAddTheSumOfTheirCoefficients() {
        SiteGrowth leak = growthOf(leakAndCaches(), "a.Leak");
        double[] from = {-25, -15, -5, 5, 15, 25};
        double variance = Math.pow(45 / 1750.0 * 3000, 2);
        for (int born = 0; born < from.length; born++) {
            double factor = 0;
            for (int i = born; i < from.length; i++) {
                factor += from[i] / 1750;
            }
            variance += factor * factor * 20 * 12e6;
        }

        assertThat(leak.bytesPerSecond().standardError())
                .isCloseTo(Math.sqrt(variance), within(1e-6));
    }
}
