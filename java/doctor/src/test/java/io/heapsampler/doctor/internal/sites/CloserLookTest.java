// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;
import io.heapsampler.Strategy;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Samples;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.Story;
import io.heapsampler.doctor.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;

class CloserLookTest {

    private static final List<Finding> NATIVE =
            List.of(Samples.finding("native.unaccounted", Severity.INFO));
    private static final List<Finding> LOADERS =
            List.of(Samples.finding("metaspace.leak", Severity.WARNING));

    private final List<RecordingOptions> asked = new ArrayList<>();
    private final SiteBook history = new SiteBook();

    private CloserLook refused(double budget) {
        return new CloserLook(
                budget,
                history,
                options -> {
                    asked.add(options);
                    throw new IllegalStateException("all 64 recordings are open");
                });
    }

    private static Timeline allocating(long perSecond) {
        return Story.g1().seconds(3, perSecond).timeline();
    }

    @Test
    void ownersAreFilteredByClassAndLoadersAreNot() {
        CloserLook look = refused(0.02);
        look.update(NATIVE, allocating(MB), 1000);
        look.update(LOADERS, allocating(MB), 2000);

        assertThat(asked).hasSize(2);
        // More where samples have cost more in this JVM than usual.
        assertThat(asked.get(0).interval()).isBetween(8L * 1024, 512L * 1024);
        assertThat(asked.get(0).classNames()).contains("java.util.zip.Inflater");
        assertThat(asked.get(0).duration()).hasSeconds(10);
        assertThat(asked.get(1).classNames()).isEmpty();
        assertThat(look.notes())
                .contains("No closer look at native.unaccounted: all 64 recordings are open");
    }

    @Test
    void theBudgetSetsTheInterval() {
        // 2 % of a processor are 20 ms a second, which pays for 6,667 samples of 3 µs
        assertThat(CloserLook.interval(1024.0 * MB, 3_000, 0.02)).isEqualTo(161_061);
        assertThat(CloserLook.interval(1.0 * MB, 3_000, 0.02)).isEqualTo(8 * 1024);
    }

    @Test
    void afterClosingThereIsNone() {
        CloserLook look = refused(0.02);
        look.close();
        look.update(NATIVE, allocating(MB), 1000);

        assertThat(asked).isEmpty();
    }

    @Test
    void withoutABudgetOrAFindingThereIsNone() {
        refused(0).update(LOADERS, allocating(MB), 1000);
        refused(0.02)
                .update(
                        List.of(Samples.finding("old.frequent", Severity.CRITICAL)),
                        allocating(MB),
                        1000);

        assertThat(asked).isEmpty();
    }

    @Test
    void theSameFindingIsLookedAtAgainAfterTenMinutes() {
        CloserLook look = refused(0.02);
        look.update(NATIVE, allocating(MB), 1000);
        look.update(NATIVE, allocating(MB), 600_999);
        assertThat(asked).hasSize(1);
        look.update(NATIVE, allocating(MB), 601_000);
        assertThat(asked).hasSize(2);
    }

    @Test
    void theIntervalComesOfTheLastTwoTicks() {
        CloserLook look = refused(0.000_001);
        look.update(NATIVE, Story.g1().timeline(), 1000);
        look.update(LOADERS, Story.g1().second(1_000_000 * MB).timeline(), 1000);

        assertThat(asked.get(0).interval()).isEqualTo(CloserLook.LEAST_INTERVAL);
        assertThat(asked.get(1).interval()).isEqualTo(Integer.MAX_VALUE / 2);
    }

    @Test
    void theLastFourNotesAreKept() {
        CloserLook look =
                new CloserLook(
                        0.02,
                        history,
                        options -> {
                            asked.add(options);
                            throw new IllegalStateException("refusal " + asked.size());
                        });
        for (int i = 0; i < 4; i++) {
            look.update(NATIVE, allocating(MB), 600_000L * i);
        }
        assertThat(look.notes()).hasSize(4);
        look.update(NATIVE, allocating(MB), 2_400_000);

        assertThat(look.notes()).hasSize(4);
        assertThat(look.notes().get(0)).endsWith("refusal 2");
        assertThat(look.notes().get(3)).endsWith("refusal 5");
    }

    @Test
    void itTakesTenSecondsAndEndsWhenClosed() {
        HeapRecording[] opened = new HeapRecording[1];
        CloserLook look =
                new CloserLook(0.5, history, options -> opened[0] = HeapSampler.record(options));
        look.update(LOADERS, allocating(MB), 1000);
        look.update(LOADERS, allocating(MB), 10_999);
        assertThat(look.notes()).singleElement().asString().contains("is under way");
        look.update(LOADERS, allocating(MB), 11_000);
        assertThat(look.notes())
                .singleElement()
                .asString()
                .startsWith("A closer look at metaspace.leak: every 8 KB were sampled for 10 s; ")
                .doesNotContain("ended early");
        look.update(NATIVE, allocating(MB), 12_000);
        HeapRecording second = opened[0];
        look.close();
        assertThatThrownBy(second::snapshot).isInstanceOf(IllegalStateException.class);
    }

    /** Whatever a sample costs, it is more than a share of 10⁻¹² of two seconds. */
    @Test
    void itEndsEarlyIfItCostsMoreThanItMay() {
        List<byte[]> kept = new ArrayList<>();
        try (CloserLook look = new CloserLook(1e-12, history, HeapSampler::record);
                HeapRecording other =
                        HeapSampler.record(RecordingOptions.builder().interval(16_384).build())) {
            look.update(LOADERS, allocating(0), 1000);
            for (int i = 0; i < 2_000; i++) {
                kept.add(new byte[16_384]);
            }
            assertThat(other.snapshot().totals().allocated().samples()).isPositive();
            look.update(LOADERS, allocating(0), 2999);
            assertThat(look.notes()).singleElement().asString().contains("is under way");
            look.update(LOADERS, allocating(0), 3000);
            assertThat(look.notes())
                    .singleElement()
                    .asString()
                    .endsWith(". It ended early: it cost more than it may.");
        }
    }

    /** The next start would choose as the last one did, and a look is not to forbid it. */
    @Test
    void whereSamplesAreNotChosenByBytesThereIsNone() {
        HeapSampler.start(SamplerOptions.builder().strategy(Strategy.allocations(1000)).build());
        HeapSampler.stop();
        HeapSampler.reset();
        try {
            CloserLook look = refused(0.02);
            look.update(NATIVE, allocating(MB), 1000);

            assertThat(asked).isEmpty();
            assertThat(look.notes())
                    .containsExactly(
                            "No closer look at native.unaccounted: samples are not chosen by"
                                    + " bytes.");
        } finally {
            HeapSampler.start(
                    SamplerOptions.builder().strategy(Strategy.bytes(512 * 1024)).build());
            HeapSampler.stop();
            HeapSampler.reset();
        }
    }

    /**
     * 20,000 inflaters of 48 bytes or more at an interval of 8 KiB give 117 samples and more on
     * average: none at all has a chance of less than e⁻¹⁰⁰.
     */
    @Test
    void ownersThatAreSmallAreSeen() {
        List<Inflater> kept = new ArrayList<>();
        try (CloserLook look = new CloserLook(0.5, history, HeapSampler::record)) {
            look.update(NATIVE, allocating(MB), 1000);
            assertThat(look.notes()).singleElement().asString().contains("is under way");
            for (int i = 0; i < 20_000; i++) {
                kept.add(new Inflater());
            }
            look.update(NATIVE, allocating(MB), 1000 + CloserLook.LOOK_MILLIS);

            assertThat(history.closer())
                    .anyMatch(site -> site.className().equals("java.util.zip.Inflater"));
            assertThat(OffHeap.owners(history)).isNotEmpty();
            assertThat(look.notes())
                    .singleElement()
                    .asString()
                    .startsWith("A closer look at native.unaccounted: every 8 KB were sampled")
                    .contains(", of classes that own memory outside of the heap; ");
        } finally {
            kept.forEach(Inflater::end);
        }
    }
}
