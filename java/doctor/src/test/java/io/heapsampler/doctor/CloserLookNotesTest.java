// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Looks.LOADERS;
import static io.heapsampler.doctor.Looks.NATIVE;
import static io.heapsampler.doctor.Looks.allocating;
import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.acme.Allocations;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.shared.SampleCost;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;

/** The course of a closer look, and its notes. */
class CloserLookNotesTest {

    private final Looks looks = new Looks();

    @Test
    void thereIsOneAtATime() {
        try (CloserLook look = looks.opening(0.5, HeapSampler::record)) {
            look.update(LOADERS, allocating(MB), 1000);
            look.update(NATIVE, allocating(MB), 10_999);
            assertThat(looks.asked).hasSize(1);
            look.update(NATIVE, allocating(MB), 11_000); // Ends the first.
            assertThat(looks.asked).hasSize(1);
            look.update(NATIVE, allocating(MB), 11_001);
            assertThat(looks.asked).hasSize(2);
        }
    }

    @Test
    void aRecordingThatAnotherCallerHasClosedIsLost() {
        HeapRecording[] opened = new HeapRecording[1];
        CloserLook look = looks.opening(0.5, options -> opened[0] = HeapSampler.record(options));
        look.update(LOADERS, allocating(MB), 1000);
        opened[0].close();
        look.update(LOADERS, allocating(MB), 11_000);

        assertThat(look.notes())
                .singleElement()
                .asString()
                .startsWith("The closer look at metaspace.leak was lost: ");
        assertThat(looks.history.closer(true)).isEmpty();
    }

    /** It would stay open, and no other would begin. */
    @Test
    void aLookEndsWhateverFails() {
        HeapRecording[] opened = new HeapRecording[1];
        CloserLook look = looks.opening(0.5, options -> opened[0] = HeapSampler.record(options));
        look.update(LOADERS, allocating(MB), 1000);
        Timeline broken = new Timeline(null, List.of(), List.of(), List.of());
        look.update(LOADERS, broken, 11_000);

        assertThat(look.notes())
                .singleElement()
                .asString()
                .startsWith("The closer look at metaspace.leak was lost: ");
        assertThatThrownBy(opened[0]::snapshot).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aNoteIsSaidOnceAndLast() {
        CloserLook look = looks.refused(0.02);
        look.update(LOADERS, allocating(MB), 1000);
        look.update(NATIVE, allocating(MB), 1000);
        look.update(LOADERS, allocating(MB), 601_000);

        assertThat(look.notes())
                .containsExactly(
                        "No closer look at native.unaccounted: all 64 recordings are open",
                        "No closer look at metaspace.leak: all 64 recordings are open");
    }

    @Test
    void afterClosingThereIsNone() {
        CloserLook look = looks.refused(0.02);
        look.close();
        look.update(NATIVE, allocating(MB), 1000);

        assertThat(looks.asked).isEmpty();
    }

    @Test
    void theLastFourNotesAreKept() {
        CloserLook look =
                looks.opening(
                        0.02,
                        options -> {
                            throw new IllegalStateException("refusal " + looks.asked.size());
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
        CloserLook look = looks.opening(0.5, options -> opened[0] = HeapSampler.record(options));
        look.update(LOADERS, allocating(MB), 1000);
        look.update(LOADERS, allocating(MB), 10_999);
        assertThat(look.notes()).singleElement().asString().contains("is under way");
        look.update(LOADERS, allocating(MB), 11_000);
        assertThat(look.notes())
                .singleElement()
                .asString()
                .startsWith("A closer look at metaspace.leak: every ")
                .contains(" were sampled for 10 s; ");
        HeapRecording first = opened[0];
        assertThatThrownBy(first::snapshot).isInstanceOf(IllegalStateException.class);
        look.update(NATIVE, allocating(MB), 12_000);
        HeapRecording second = opened[0];
        assertThat(second).isNotSameAs(first);
        look.close();
        assertThatThrownBy(second::snapshot).isInstanceOf(IllegalStateException.class);
    }

    /** Whatever a sample costs, it is more than a share of 10⁻¹² of two seconds. */
    @Test
    void itEndsEarlyIfItCostsMoreThanItMay() throws InterruptedException {
        Object[] kept = new Object[1];
        try (CloserLook look = looks.opening(1e-12, HeapSampler::record);
                HeapRecording other =
                        HeapSampler.record(RecordingOptions.builder().interval(16_384).build())) {
            look.update(LOADERS, allocating(0), 1000);
            SampleCost before = SampleCost.now();
            // Samples are measured 64 at a time, which earlier ones may have used up.
            until(
                    "a measured sample",
                    () -> {
                        for (int i = 0; i < 200; i++) {
                            kept[0] = Allocations.bytes(16_384);
                        }
                        return SampleCost.now().measured() > before.measured();
                    });
            assertThat(other.snapshot().totals().allocated().samples()).isPositive();
            look.update(LOADERS, allocating(0), 2999);
            assertThat(look.notes()).singleElement().asString().contains("is under way");
            look.update(LOADERS, allocating(0), 3000);
            assertThat(look.notes()).singleElement().asString().contains("were sampled for 2 s; ");
        }
    }

    /** 64 MiB that were sampled before it began cost it nothing: 4 ms are much, 2 MiB are not. */
    @Test
    void samplesOfBeforeAreNotItsCost() {
        List<byte[]> kept = new ArrayList<>();
        try (HeapRecording before =
                HeapSampler.record(RecordingOptions.builder().interval(1_024).build())) {
            for (int i = 0; i < 64 * 1024; i++) {
                kept.add(Allocations.bytes(1_024));
            }
            assertThat(before.snapshot().totals().allocated().samples()).isGreaterThan(20_000);
        }
        try (CloserLook look = looks.opening(0.001, HeapSampler::record)) {
            look.update(LOADERS, allocating(0), 1000);
            look.update(LOADERS, allocating(0), 3000);
            assertThat(look.notes()).singleElement().asString().contains("is under way");
        }
    }

    /** The next start would choose as the last one did, and a look is not to forbid it. */
    @Test
    void whereSamplesAreNotChosenByBytesThereIsNone() {
        HeapSampler.start(
                SamplerOptions.builder().strategy(SamplingStrategy.allocations(1000)).build());
        HeapSampler.stop();
        HeapSampler.reset();
        try {
            CloserLook look = looks.refused(0.02);
            look.update(NATIVE, allocating(MB), 1000);

            assertThat(looks.asked).isEmpty();
            assertThat(look.notes())
                    .containsExactly(
                            "No closer look at native.unaccounted: samples are not chosen by"
                                    + " bytes.");
        } finally {
            HeapSampler.start(
                    SamplerOptions.builder().strategy(SamplingStrategy.bytes(512 * 1024)).build());
            HeapSampler.stop();
            HeapSampler.reset();
        }
    }

    /** The findings are judged every five seconds or later, and the look goes on each second. */
    @Test
    void itEndsAfterTenSecondsAlsoIfThereIsNoJudgement() {
        try (CloserLook look = looks.opening(0.5, HeapSampler::record)) {
            look.update(LOADERS, allocating(MB), 1000);
            look.advance(11_000);
            for (int i = 0; i < 2_000; i++) {
                Allocations.bytes(1_024);
            }
            look.update(LOADERS, allocating(MB), 20_000);

            assertThat(look.notes()).singleElement().asString().contains(" sampled for 10 s; ");
            assertThat(looks.history.closer(true))
                    .noneMatch(site -> site.stack().toString().contains("Allocations.bytes"));
        }
    }

    /** Owners can be rare: it has what there is after 10 s, and goes on up to 40 s. */
    @Test
    void aLookAtOwnersGoesOnUntilOneWasSampled() {
        try (CloserLook look = looks.opening(1e6, HeapSampler::record)) {
            look.update(NATIVE, allocating(MB), 1_000);
            look.update(NATIVE, allocating(MB), 11_000);
            assertThat(look.notes()).singleElement().asString().contains("is under way");
            Allocations.inflater().end();
            look.update(NATIVE, allocating(MB), 21_000);
            assertThat(look.notes()).singleElement().asString().contains("is under way");
            look.update(NATIVE, allocating(MB), 41_000);
            assertThat(look.notes()).singleElement().asString().contains(" sampled for 40 s; ");
        }
    }

    /**
     * 20,000 objects of 16 bytes or more give 19 samples and more on average where a sample costs
     * 100 times what is usual: none at all has a chance of less than e⁻¹⁹.
     */
    @Test
    void ownersThatAreSmallAreSeen() {
        List<Inflater> kept = new ArrayList<>();
        try (CloserLook look = looks.opening(0.5, HeapSampler::record)) {
            look.update(NATIVE, allocating(MB), 1000);
            assertThat(look.notes()).singleElement().asString().contains("is under way");
            for (int i = 0; i < 20_000; i++) {
                kept.add(Allocations.inflater());
            }
            System.gc();
            look.update(NATIVE, allocating(MB), 1000 + CloserLook.LOOK_MILLIS);

            assertThat(looks.history.closer(true))
                    .anyMatch(site -> site.className().equals("java.util.zip.Inflater"));
            assertThat(look.notes())
                    .singleElement()
                    .asString()
                    .startsWith("A closer look at native.unaccounted: every ");
        } finally {
            kept.forEach(Inflater::end);
        }
    }

    /** It is no reason for the doctor to fail, and he says so once, however often it is refused. */
    @Test
    void whereNothingCanBeSampledThatIsSaid() {
        CloserLook look =
                looks.opening(
                        0.02,
                        options -> {
                            throw new HeapSamplingUnavailableException(
                                    HeapSamplingUnavailableException.Reason.OWNED_BY_OTHER,
                                    "another agent samples",
                                    null);
                        });
        look.update(NATIVE, allocating(MB), 1000);
        look.update(NATIVE, allocating(MB), 2000);
        assertThat(looks.asked).hasSize(1);
        look.update(NATIVE, allocating(MB), 601_000);

        assertThat(looks.asked).hasSize(2);
        assertThat(look.notes())
                .containsExactly("No closer look at native.unaccounted: another agent samples");
        assertThat(looks.history.closer(true)).isEmpty();
    }
}
