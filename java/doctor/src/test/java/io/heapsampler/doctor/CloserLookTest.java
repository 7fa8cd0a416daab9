// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Looks.LOADERS;
import static io.heapsampler.doctor.Looks.NATIVE;
import static io.heapsampler.doctor.Looks.allocating;
import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.internal.shared.SampleCost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a closer look is taken, and how closely. */
class CloserLookTest {

    private final Looks looks = new Looks();

    @Test
    void itIsOpenForAsLongAsItsFindingNeeds() {
        CloserLook look = looks.refused(0.02);
        look.update(NATIVE, allocating(MB), 1000);
        look.update(LOADERS, allocating(MB), 2000);

        assertThat(looks.asked).hasSize(2);
        // More where samples have cost more in this JVM than usual.
        assertThat(looks.asked.get(0).interval()).isBetween(100L, 512L * 1024);
        assertThat(looks.asked.get(0).duration()).hasSeconds(40);
        assertThat(looks.asked.get(1).duration()).hasSeconds(10);
        assertThat(look.notes())
                .contains("No closer look at native.unaccounted: all 64 recordings are open");
    }

    @Test
    void theRateIsThatOfTicksThatTellIt() {
        List<Tick> ticks = new ArrayList<>(Samples.ticks(1_000, 2_000));
        assertThat(CloserLook.bytesPerSecond(ticks.subList(0, 1))).isZero();
        assertThat(CloserLook.bytesPerSecond(ticks)).isEqualTo(1e6);

        History history = new History();
        ticks.forEach(tick -> history.add(Samples.row(tick)));
        long[] bare = Samples.row(ticks.get(1));
        bare[1] = -1;
        for (int second = 3; second <= 5; second++) {
            bare[0] = second * 1_000;
            history.add(bare);
        }
        ticks = history.timeline(Samples.settings(), 0).ticks();
        assertThat(ticks).hasSize(5);
        assertThat(CloserLook.bytesPerSecond(ticks)).isEqualTo(1e6);
    }

    @Test
    void theBudgetSetsTheInterval() {
        // 2 % of a processor are 20 ms a second, which pays for 6,667 samples of 3 µs
        assertThat(CloserLook.interval(1024.0 * MB, 0, 3_000, 0.02)).isEqualTo(161_061);
        assertThat(CloserLook.interval(1.0 * MB, 0, 3_000, 0.02)).isEqualTo(157);
        assertThat(CloserLook.interval(0, 80, 3_000, 0.02)).isEqualTo(8 * 1024);
    }

    /** 5 MiB a second in 2,600 objects, as in a run of zstd: all of them are sampled. */
    @Test
    void ofFewLargeObjectsASecondEachIsSampled() {
        assertThat(CloserLook.interval(5.0 * MB, 2_016, 3_000, 0.02)).isZero();
        // 13,107 a second, of which 6,667 can be sampled: 1 - e^(-80/112) are 51 %.
        assertThat(CloserLook.interval(1.0 * MB, 80, 3_000, 0.02)).isEqualTo(112);
        // The mean does not matter where it is far below the interval.
        assertThat(CloserLook.interval(1024.0 * MB, 80, 3_000, 0.02)).isEqualTo(161_021);
    }

    @Test
    void fewSamplesDoNotTellWhatOneCosts() {
        assertThat(CloserLook.nanosPerSample(99, Duration.ofMillis(1))).isEqualTo(3_000);
        assertThat(CloserLook.nanosPerSample(100, Duration.ofMillis(1))).isEqualTo(1_000_000);
        assertThat(CloserLook.nanosPerSample(100, Duration.ZERO)).isEqualTo(1);
    }

    /** Those of the start cost most, and are most of those that were measured. */
    @Test
    void onlySamplesOfTheLookTellWhatOneCosts() {
        SampleCost start = new SampleCost(57_000_000, 1_000);
        assertThat(new SampleCost(57_384_000, 1_128).since(start)).isEqualTo(3_000);
        assertThat(start.since(start)).isNaN();
    }

    /** What a sample has cost counts once there are enough of them to know it. */
    @Test
    void theCostOfASampleSetsTheInterval() {
        List<byte[]> kept = new ArrayList<>();
        HeapSampler.setInterval(1_024);
        HeapSampler.start();
        for (int i = 0; i < 4_000; i++) {
            kept.add(new byte[1_024]);
        }
        HeapSampler.stop();
        try {
            assertThat(HeapSampler.status().samples()).isGreaterThan(100);
            looks.refused(1e-4).update(NATIVE, allocating(1024 * MB), 1000);

            double nanos = HeapSampler.status().meanSampleCost().toNanos();
            assertThat(looks.asked.get(0).interval())
                    .isEqualTo(CloserLook.interval(1024.0 * MB, 0, nanos, 1e-4));
        } finally {
            HeapSampler.reset();
            HeapSampler.setInterval(512 * 1024);
        }
    }

    /** Twice 2 % of two seconds are 80 ms, which 20,000 samples of 4 µs take. */
    @Test
    void twiceTheBudgetIsTooMuchAfterTwoSeconds() {
        assertThat(CloserLook.isTooMuch(20_000, 4_000, 2_000, 0.02)).isFalse();
        assertThat(CloserLook.isTooMuch(20_001, 4_000, 2_000, 0.02)).isTrue();
        assertThat(CloserLook.isTooMuch(20_001, 4_000, 2_001, 0.02)).isFalse();
        assertThat(CloserLook.isTooMuch(1_000_000, 4_000, 1_999, 0.02)).isFalse();
    }

    @Test
    void findingsAboutSmallObjectsRequireALook() {
        CloserLook look = looks.refused(0.02);
        for (String id : List.of("direct.leak", "native.unaccounted")) {
            assertThat(asking(look, id).duration()).as(id).hasSeconds(40);
        }
        for (String id : List.of("metaspace.leak", "class.churn")) {
            assertThat(asking(look, id).duration()).as(id).hasSeconds(10);
        }
        for (String id : List.of("direct.pressure", "old.frequent", "heap.resize")) {
            look.update(List.of(Samples.finding(id, Severity.CRITICAL)), allocating(MB), 1000);
        }
        assertThat(looks.asked).hasSize(4);
    }

    /** Then an owner of 100 bytes would be sampled with a chance of less than a tenth. */
    @Test
    void whereAllClassesAreTooManyALookAtOwnersSamplesOnlyTheirs() {
        looks.refused(1).update(NATIVE, allocating(MB / 1024), 1000);
        CloserLook look = looks.refused(0.02);
        look.update(LOADERS, allocating(1024 * MB), 1000);
        look.update(NATIVE, allocating(1024 * MB), 1000);

        assertThat(looks.asked).hasSize(3);
        assertThat(looks.asked.get(0).packageNames()).isEmpty();
        assertThat(looks.asked.get(1).packageNames()).isEmpty();
        assertThat(looks.asked.get(2).packageNames()).contains("org.rocksdb", "java.util.zip");
        assertThat(looks.asked.get(2).classNames()).contains("java.nio.DirectByteBuffer");
    }

    private RecordingOptions asking(CloserLook look, String id) {
        int before = looks.asked.size();
        look.update(List.of(Samples.finding(id, Severity.INFO)), allocating(MB), 1000);
        assertThat(looks.asked).as(id).hasSize(before + 1);
        return looks.asked.get(before);
    }

    @Test
    void theFirstFindingThatAsksGetsIt() {
        CloserLook look = looks.refused(0.02);
        List<Finding> all =
                List.of(
                        Samples.finding("old.frequent", Severity.CRITICAL),
                        LOADERS.get(0),
                        NATIVE.get(0));
        look.update(all, allocating(MB), 1000);
        assertThat(look.notes()).singleElement().asString().contains("metaspace.leak");
        look.update(all, allocating(MB), 6000);

        assertThat(looks.asked).hasSize(2);
        assertThat(look.notes().get(1)).contains("native.unaccounted");
    }

    @Test
    void onlyTheLastSecondCounts() {
        CloserLook look = looks.refused(1e-4);
        look.update(NATIVE, Story.g1().second(1024 * MB).timeline(), 1000);
        look.update(LOADERS, Story.g1().seconds(5, 9 * MB).second(1024 * MB).timeline(), 1000);
        look.update(NATIVE, Story.g1().millis(1_000).second(2 * 1024 * MB).timeline(), 1_000_000);

        assertThat(looks.asked.get(0).interval())
                .isGreaterThan(1024)
                .isEqualTo(looks.asked.get(1).interval())
                .isEqualTo(looks.asked.get(2).interval());
    }

    @Test
    void withoutABudgetOrAFindingThereIsNone() {
        looks.refused(0).update(LOADERS, allocating(MB), 1000);
        looks.refused(0.02)
                .update(
                        List.of(Samples.finding("old.frequent", Severity.CRITICAL)),
                        allocating(MB),
                        1000);

        assertThat(looks.asked).isEmpty();
    }

    @Test
    void theSameFindingOpensALookAgainAfterTenMinutes() {
        CloserLook look = looks.refused(0.02);
        look.update(NATIVE, allocating(MB), 1000);
        look.update(NATIVE, allocating(MB), 600_999);
        assertThat(looks.asked).hasSize(1);
        look.update(NATIVE, allocating(MB), 601_000);
        assertThat(looks.asked).hasSize(2);
    }

    @Test
    void theIntervalComesOfTheLastTwoTicks() {
        CloserLook look = looks.refused(0.000_001);
        look.update(NATIVE, Story.g1().timeline(), 1000);
        look.update(LOADERS, Story.g1().second(1_000_000 * MB).timeline(), 1000);

        assertThat(looks.asked.get(0).interval()).isEqualTo(CloserLook.LEAST_INTERVAL);
        assertThat(looks.asked.get(1).interval()).isEqualTo(Integer.MAX_VALUE / 2);
    }
}
