// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static io.heapsampler.GrowthShot.LIVE;
import static io.heapsampler.GrowthShot.SECOND;
import static io.heapsampler.GrowthShot.UNCONFIRMED;
import static io.heapsampler.GrowthShot.growthOf;
import static io.heapsampler.GrowthShot.leakAndCaches;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeapGrowthTest {

    @Test
    void exactFiguresGiveTheSlopeItself() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            GrowthShot shot = new GrowthShot(10 * i + 10);
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
        assertThat(leak.stack()).extracting(HeapFrame::className).containsExactly("a.LeakMaker");
        assertThat(growth.snapshots()).isEqualTo(snapshots);
        assertThat(growth.elapsed()).isEqualTo(Duration.ofSeconds(30));
        assertThat(growth.growing()).containsExactly(leak);
        assertThat(leak)
                .hasToString(
                        "a.Leak at a.LeakMaker.make(Source.java:5): live 400000 ± 0 (95 %, 400"
                                + " samples), growing by 10000 ± 0 (95 %, 300 samples) bytes per"
                                + " second, born in 4 epochs");
    }

    // 97 objects, each time in another order: sums of weights differ in the last digit.
    @Test
    void whatIsAddedInAnotherOrderDoesNotGrow() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            GrowthShot shot = new GrowthShot(10 * i + 10);
            int site = shot.site("a.Cache");
            for (int j = 0; j < 97; j++) {
                int size = 24 + 8 * (j * i % 97);
                shot.writer.living(site, shot.thread, size, 5 * SECOND, 4_096, 0, LIVE, i);
            }
            snapshots.add(shot.take());
        }
        HeapGrowth growth = HeapGrowth.of(snapshots);
        SiteGrowth cache = growth.sites().get(0);

        assertThat(cache.live()).extracting(HeapAmount::samples).containsOnly(97L);
        assertThat(cache.live().stream().map(a -> a.bytes().value()).distinct())
                .as("sums that are not quite the same")
                .hasSizeGreaterThan(1);
        assertThat(List.of(cache.bytesPerSecond(), cache.recentBytesPerSecond()))
                .allSatisfy(slope -> assertThat(slope.value()).isZero())
                .allSatisfy(slope -> assertThat(slope.standardError()).isZero());
        assertThat(growth.growing()).isEmpty();
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
    void whatWasFilledEarlyHasStopped() {
        SiteGrowth filled = growthOf(leakAndCaches(), "a.Filled");

        assertThat(filled.bytesPerSecond().low()).as("in all").isGreaterThan(10_000);
        assertThat(filled.recentBytesPerSecond().value()).isZero();
    }

    // From 0 to 8 samples that stand for 2 each: the slope is sure, but the samples are few.
    @Test
    void sitesOfFewSamplesAreNotAmongTheGrowing() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            GrowthShot shot = new GrowthShot(10 * i + 10);
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

    @Test
    void onlyConfirmedObjectsCount() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            GrowthShot shot = new GrowthShot(i);
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
            GrowthShot shot = new GrowthShot(i);
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
            GrowthShot shot = new GrowthShot(10 * i);
            int stack = shot.writer.stack(false, shot.writer.frame("a.A", "main", 10 + i));
            shot.add(shot.writer.site(stack, "a.Cache", 1, 1, 1000), 100, 10 * i, 0, LIVE, 0);
            snapshots.add(shot.take());
        }
        HeapGrowth growth = HeapGrowth.of(snapshots);

        assertThat(growth.growing()).isEmpty();
        assertThat(growth.sites()).hasSize(1);
        assertThat(growth.sites().get(0).stack().get(0).lineNumber()).hasValue(14);
        assertThat(growth.byLine().sites()).hasSize(4);
        assertThat(growth.byLine().growing()).hasSize(1);
    }

    @Test
    void refusalsSayWhatToDo() {
        HeapSnapshot first = new GrowthShot(1).take();
        HeapSnapshot second = new GrowthShot(2).take();
        HeapSnapshot third = new GrowthShot(3).take();

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
            many.add(new GrowthShot(i + 1).take());
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeapGrowth.of(many))
                .withMessage(
                        "growth needs from 3 to 32 snapshots, but there are 33; leave some of them"
                                + " out");
        assertThat(HeapGrowth.of(many.subList(0, 32)).sites()).isEmpty();
    }
}
