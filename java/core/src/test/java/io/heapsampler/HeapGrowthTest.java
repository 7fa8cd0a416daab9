// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class HeapGrowthTest {

    private static final long SECOND = 1_000_000;
    private static final int LIVE = 1;
    private static final int UNCONFIRMED = 0;

    /** A snapshot under construction, taken at a time in seconds. */
    private static final class Shot {

        private final BlockWriter writer = new BlockWriter();
        private final int thread = writer.thread(1, "main");

        Shot(long seconds) {
            writer.info(Info.TAKEN_AT, seconds * SECOND);
        }

        int site(String className) {
            int stack = writer.stack(false, writer.frame(className + "Maker", "make", 5));
            return writer.site(stack, className, 1, 1, 1000);
        }

        /** Adds objects of 1,000 bytes, each of which stands for 2<sup>thinning</sup>. */
        Shot add(int site, int count, long bornSeconds, int thinning, int liveness, int survived) {
            for (int i = 0; i < count; i++) {
                writer.living(
                        site, thread, 1000, bornSeconds * SECOND, 0, thinning, liveness, survived);
            }
            return this;
        }

        HeapSnapshot take() {
            return HeapSnapshot.decode(writer.write());
        }
    }

    private static SiteGrowth growthOf(List<HeapSnapshot> snapshots, String className) {
        return HeapGrowth.of(snapshots).sites().stream()
                .filter(site -> site.className().equals(className))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void exactFiguresGiveTheSlopeItself() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Shot shot = new Shot(10 * i + 10);
            int site = shot.site("a.Leak");
            for (int born = 0; born <= i; born++) {
                shot.add(site, 100, 10 * born + 5, 0, LIVE, i - born);
            }
            snapshots.add(shot.take());
        }
        HeapGrowth growth = HeapGrowth.of(snapshots);
        SiteGrowth leak = growth.sites().get(0);

        assertThat(leak.bytesPerSecond().value()).isCloseTo(10_000, within(1e-6));
        assertThat(leak.bytesPerSecond().standardError()).isZero();
        assertThat(leak.live())
                .extracting(a -> a.objects().value())
                .containsExactly(100.0, 200.0, 300.0, 400.0);
        assertThat(leak.birthEpochs()).isEqualTo(4);
        assertThat(leak.stack()).extracting(StackFrame::className).containsExactly("a.LeakMaker");
        assertThat(growth.snapshots()).isEqualTo(snapshots);
        assertThat(growth.elapsed()).isEqualTo(Duration.ofSeconds(30));
        assertThat(growth.growing()).containsExactly(leak);
        assertThat(leak)
                .hasToString(
                        "a.Leak at a.LeakMaker.make(Source.java:5): live 400000 ± 0 (95 %, 400"
                                + " samples), growing by 10000 ± 0 (95 %, 300 samples) bytes per"
                                + " second, born in 4 epochs");
    }

    // Each snapshot reads the clock of the wall anew, so the same births are some microseconds
    // apart.
    @Test
    void whatLivesInAllSnapshotsHasNoError() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            Shot shot = new Shot(10 * i + 10);
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

    // 97 objects, each time in another order: sums of weights differ in the last digit.
    @Test
    void whatIsAddedInAnotherOrderDoesNotGrow() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            Shot shot = new Shot(10 * i + 10);
            int site = shot.site("a.Cache");
            for (int j = 0; j < 97; j++) {
                int size = 24 + 8 * (j * i % 97);
                shot.writer.living(site, shot.thread, size, 5 * SECOND, 4_096, 0, LIVE, i);
            }
            snapshots.add(shot.take());
        }
        HeapGrowth growth = HeapGrowth.of(snapshots);
        SiteGrowth cache = growth.sites().get(0);

        assertThat(cache.live()).extracting(Amount::samples).containsOnly(97L);
        assertThat(cache.live().stream().map(a -> a.bytes().value()).distinct())
                .as("sums that are not quite the same")
                .hasSizeGreaterThan(1);
        assertThat(List.of(cache.bytesPerSecond(), cache.recentBytesPerSecond()))
                .allSatisfy(slope -> assertThat(slope.value()).isZero())
                .allSatisfy(slope -> assertThat(slope.standardError()).isZero());
        assertThat(growth.growing()).isEmpty();
    }

    /**
     * A leak, a table that was filled at the beginning, one that was filled between the first two
     * snapshots, and a cache of always the same size that exchanges its entries; each sample stands
     * for 4.
     */
    private static List<HeapSnapshot> leakAndCaches() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Shot shot = new Shot(10 * i + 10);
            int leak = shot.site("a.Leak");
            int cache = shot.site("a.Cache");
            int table = shot.site("a.Table");
            for (int born = 0; born <= i; born++) {
                shot.add(leak, 20, 10 * born + 5, 2, LIVE, i - born);
            }
            shot.add(cache, i % 2 == 0 ? 400 : 410, 10 * i + 5, 2, LIVE, 0);
            shot.add(table, 500, 2, 2, LIVE, i);
            if (i > 0) {
                shot.add(shot.site("a.Filled"), 500, 15, 2, LIVE, i);
            }
            snapshots.add(shot.take());
        }
        return snapshots;
    }

    @Test
    void leakComesFirstAndCacheLast() {
        HeapGrowth growth = HeapGrowth.of(leakAndCaches());

        assertThat(growth.sites())
                .extracting(SiteGrowth::className)
                .containsExactly("a.Leak", "a.Filled", "a.Table", "a.Cache");
        assertThat(growth.growing()).extracting(SiteGrowth::className).containsExactly("a.Leak");
        assertThat(growth.sites()).extracting(SiteGrowth::birthEpochs).containsExactly(6, 1, 1, 1);
    }

    @Test
    void whatLivesThroughAllAddsNoError() {
        SiteGrowth table = growthOf(leakAndCaches(), "a.Table");

        assertThat(table.bytesPerSecond().value()).isCloseTo(0, within(1e-6));
        assertThat(table.bytesPerSecond().standardError()).isCloseTo(0, within(1e-6));
    }

    @Test
    void whatWasFilledEarlyHasStopped() {
        SiteGrowth filled = growthOf(leakAndCaches(), "a.Filled");

        assertThat(filled.bytesPerSecond().low()).as("in all").isGreaterThan(10_000);
        assertThat(filled.recentBytesPerSecond().value()).isZero();
    }

    /**
     * Of 500 samples that stand for 4 each, and from the fourth snapshot on of so many that stand
     * for 8.
     */
    private static Estimate slopeOfThinnedTable(int left) {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Shot shot = new Shot(10 * i + 10);
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
            Shot shot = new Shot(10 * i + 10);
            shot.add(shot.site("a.Old"), 1, 1, 0, LIVE, i);
            shot.add(shot.site("a.Late"), 100, 9, 2, i == 0 ? UNCONFIRMED : LIVE, i);
            snapshots.add(shot.take());
        }

        assertThat(growthOf(snapshots, "a.Late").bytesPerSecond().standardError())
                .isCloseTo(
                        Math.hypot(25 / 1750.0 * Math.sqrt(100 * 12e6), 45 / 1750.0 * 3000),
                        within(1e-6));
    }

    // From 0 to 8 samples that stand for 2 each: the slope is sure, but the samples are few.
    @Test
    void sitesOfFewSamplesAreNotAmongTheGrowing() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            Shot shot = new Shot(10 * i + 10);
            int few = shot.site("a.Few");
            int many = shot.site("a.Many");
            for (int born = 1; born <= i; born++) {
                shot.add(few, 1, 10 * born + 5, 1, LIVE, 0);
                shot.add(many, 5, 10 * born + 5, 1, LIVE, 0);
            }
            snapshots.add(shot.take());
        }
        SiteGrowth few = growthOf(snapshots, "a.Few");

        assertThat(few.bytesPerSecond().low()).isPositive();
        assertThat(few.bytesPerSecond().hasTooFewSamples()).isTrue();
        assertThat(HeapGrowth.of(snapshots).growing())
                .extracting(SiteGrowth::className)
                .containsExactly("a.Many");
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

    @Test
    void onlyConfirmedObjectsCount() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Shot shot = new Shot(i);
            shot.add(shot.site("a.Young"), 100 * i, 0, 0, UNCONFIRMED, 0);
            snapshots.add(shot.take());
        }
        SiteGrowth young = growthOf(snapshots, "a.Young");

        assertThat(young.bytesPerSecond().value()).isZero();
        assertThat(young.birthEpochs()).isZero();
        assertThat(HeapGrowth.of(snapshots).growing()).isEmpty();
    }

    @Test
    void siteThatIsNotInAllSnapshotsCountsAsNothingThere() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Shot shot = new Shot(i);
            if (i == 3) {
                shot.add(shot.site("a.Late"), 10, 2, 0, LIVE, 0);
            }
            snapshots.add(shot.take());
        }

        assertThat(growthOf(snapshots, "a.Late").bytesPerSecond().value())
                .isCloseTo(5_000, within(1e-6));
    }

    // The cache is full from the first snapshot on; then other lines of main fill it.
    @Test
    void linesOfAMethodAreAddedUp() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            Shot shot = new Shot(10 * i);
            int stack = shot.writer.stack(false, shot.writer.frame("a.A", "main", 10 + i));
            shot.add(shot.writer.site(stack, "a.Cache", 1, 1, 1000), 100, 10 * i, 0, LIVE, 0);
            snapshots.add(shot.take());
        }
        HeapGrowth growth = HeapGrowth.of(snapshots);

        assertThat(growth.growing()).isEmpty();
        assertThat(growth.sites()).hasSize(1);
        assertThat(growth.sites().get(0).stack().get(0).lineNumber()).isEqualTo(14);
        assertThat(growth.byLine().sites()).hasSize(4);
        assertThat(growth.byLine().growing()).hasSize(1);
    }

    @Test
    void growthThatGoesUnseenIsSaid() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Shot shot = new Shot(10 * i);
            shot.writer.info(Info.INTERVAL_IN_FORCE, 524_288);
            shot.writer.info(Info.FLAGS, Info.FLAG_GC_ASKED | Info.FLAG_GC_DONE);
            snapshots.add(shot.take());
        }
        HeapGrowth growth = HeapGrowth.of(snapshots);
        HeapDiff diff = snapshots.get(2).diff(snapshots.get(0));

        assertThat(growth.smallestVisible()).hasValue(5 * 1024 * 1024);
        assertThat(diff.smallestVisible()).hasValue(5 * 1024 * 1024);
        assertThat(growth)
                .hasToString(
                        "0 of 0 sites grow over 3 snapshots; growth of a site below about 5 MiB"
                                + " mostly goes unseen");
        assertThat(diff)
                .hasToString(
                        "0 of 0 sites have grown; growth of a site below about 5 MiB mostly goes"
                                + " unseen");
        assertThat(growth.notes())
                .isEqualTo(diff.notes())
                .containsExactly(
                        "A site is listed from about 10 new samples on: at this sampling interval,"
                                + " growth of a site below about 5 MiB mostly goes unseen. To see a"
                                + " growth of 512 KiB, use an interval of 32 KiB; for others see"
                                + " HeapGrowth.intervalToSee(bytes).");
    }

    @Test
    void whatGoesUnseenDependsOnHowSamplesAreChosen() {
        List<HeapSnapshot> exact = new ArrayList<>();
        List<HeapSnapshot> thinned = new ArrayList<>();
        List<HeapSnapshot> others = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            exact.add(new Shot(i).take());
            Shot shot = new Shot(i);
            shot.writer.info(Info.INTERVAL_IN_FORCE, 1024).info(Info.THINNING, 2);
            thinned.add(shot.take());
            Shot other = new Shot(i);
            other.writer.info(Info.STRATEGY, Strategy.Kind.ALLOCATIONS.ordinal());
            other.writer.info(Info.STRATEGY_AMOUNT, 1_000);
            others.add(other.take());
        }

        assertThat(HeapGrowth.of(exact).smallestVisible()).hasValue(0);
        assertThat(HeapGrowth.of(exact)).hasToString("0 of 0 sites grow over 3 snapshots");
        assertThat(HeapGrowth.of(exact).notes())
                .singleElement(as(InstanceOfAssertFactories.STRING))
                .startsWith("Not all snapshots were taken after a forced collection");
        assertThat(HeapGrowth.of(thinned).smallestVisible()).hasValue(40 * 1024);
        assertThat(HeapGrowth.of(others).smallestVisible()).isEmpty();
        assertThat(HeapGrowth.of(others).notes().get(0))
                .isEqualTo(
                        "A site is listed from about 10 new samples on. Samples were not chosen by"
                                + " bytes, so no number of bytes says which growth goes unseen.");
    }

    @Test
    void intervalToSeeIsAPowerOfTwoOfSixteenSamplesOrMore() {
        assertThat(HeapGrowth.intervalToSee(1024 * 1024)).isEqualTo(64 * 1024);
        assertThat(HeapGrowth.intervalToSee(1024 * 1024 - 1)).isEqualTo(32 * 1024);
        assertThat(HeapGrowth.intervalToSee(15)).isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapGrowth.intervalToSee(0))
                .withMessage("growth must be 1 byte or more: 0");
    }

    @Test
    void refusalsSayWhatToDo() {
        HeapSnapshot first = new Shot(1).take();
        HeapSnapshot second = new Shot(2).take();
        HeapSnapshot third = new Shot(3).take();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapGrowth.of(List.of(first, second)))
                .withMessage(
                        "growth needs from 3 to 32 snapshots, but there are 2; two are compared"
                                + " with HeapSnapshot.diff");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapGrowth.of(List.of(first, third, second)))
                .withMessage(
                        "snapshots must be in the order of their times, oldest first, but number 3"
                                + " was taken at 1970-01-01T00:00:02Z, and the one before it at"
                                + " 1970-01-01T00:00:03Z");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapGrowth.of(List.of(first, second, second)))
                .withMessageContaining("number 3");
        List<HeapSnapshot> many = new ArrayList<>();
        for (int i = 0; i < 33; i++) {
            many.add(new Shot(i + 1).take());
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapGrowth.of(many))
                .withMessage(
                        "growth needs from 3 to 32 snapshots, but there are 33; leave some of them"
                                + " out");
        assertThat(HeapGrowth.of(many.subList(0, 32)).sites()).isEmpty();
    }
}
