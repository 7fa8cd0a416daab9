// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.acme.Allocations;
import io.heapsampler.Estimate;
import io.heapsampler.HeapSampler;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A closer look at a leak: when it is taken, how long it takes, and what it finds. */
class LeakLookTest {

    private final Looks looks = new Looks();
    private final Story story = Story.serial().seconds(3, MB);

    private static List<Finding> leak(List<SiteEvidence> sites, Evidence... evidence) {
        Finding some = Samples.finding("leak.growth", Severity.INFO);
        return List.of(
                new Finding(
                        some.id(),
                        some.severity(),
                        some.title(),
                        some.startedAt(),
                        some.endedAt(),
                        some.collector(),
                        List.of(evidence),
                        sites,
                        List.of(),
                        List.of(),
                        List.of(),
                        null,
                        null));
    }

    private static SiteEvidence site(long samples) {
        Estimate estimate = Estimate.of(1e6 * samples, 1e10 * samples, 0, samples);
        return new SiteEvidence("a.C", List.of(), "growth", estimate, "bytes/s");
    }

    private static Evidence explained(double share) {
        return new Evidence("sites.explained", share, "share", "text");
    }

    private boolean requires(List<Finding> findings) {
        int before = looks.asked.size();
        looks.refused(0.02).update(findings, story.timeline(), story.now);
        return looks.asked.size() > before;
    }

    @Test
    void aLeakWithoutASiteOfEnoughSamplesRequiresALook() {
        assertThat(requires(leak(List.of()))).isTrue();
        assertThat(requires(leak(List.of(site(9), site(3)), explained(0.9)))).isTrue();
        assertThat(requires(leak(List.of(site(10), site(3)), explained(0.5)))).isFalse();
        assertThat(looks.asked.get(0).classNames()).isEmpty();
        assertThat(looks.asked.get(0).duration()).hasSeconds(10);
    }

    @Test
    void aLeakOfWhichLessThanHalfIsExplainedRequiresALook() {
        assertThat(requires(leak(List.of(site(50)), explained(0.49)))).isTrue();
        assertThat(requires(leak(List.of(site(50)), explained(0.5)))).isFalse();
        assertThat(requires(leak(List.of(site(50)), explained(Double.NaN)))).isFalse();
    }

    private CloserLook begun() {
        CloserLook look = looks.opening(0.5, HeapSampler::record);
        look.update(leak(List.of()), story.timeline(), story.now);
        assertThat(looks.asked).hasSize(1);
        return look;
    }

    private String later(CloserLook look, int seconds) {
        story.seconds(seconds, MB);
        look.update(List.of(), story.timeline(), story.now);
        assertThat(look.notes()).hasSize(1);
        return look.notes().get(0);
    }

    /** 16 MiB in arrays of 8 KiB, half of them kept: 647 samples of these, an error of 2.4 %. */
    @Test
    void theLinesWhoseObjectsStayAreNamedWithWhatTheyAddASecond() {
        List<byte[]> kept = new ArrayList<>();
        try (CloserLook look = begun()) {
            for (int i = 0; i < 2_048; i++) {
                byte[] array = i % 2 == 0 ? Allocations.bytes(8_176) : Allocations.other(8_176);
                if (i % 2 == 0) {
                    kept.add(array);
                }
            }
            assertThat(later(look, 10)).contains("is under way");
            story.full(0, 10 * MB, "Allocation Failure");
            System.gc();
            assertThat(later(look, 1))
                    .startsWith("A closer look at leak.growth: every 8 KiB were sampled for 10 s; ")
                    .endsWith(" live.");
        }
        assertThat(kept).hasSize(1_024);
        List<SiteEvidence> growing = looks.history.growth.growing();
        assertThat(growing)
                .filteredOn(line -> line.stack().get(0).className().equals("com.acme.Allocations"))
                .singleElement()
                .matches(line -> line.stack().get(0).methodName().equals("bytes"))
                .satisfies(
                        line ->
                                assertThat(line.estimate().value())
                                        .isCloseTo(0.8 * MB, within(0.12 * MB)));
    }

    /** One that began before the last object was born proves nothing. */
    @Test
    void itWaitsForACollectionThatBeginsLater() {
        try (CloserLook look = begun()) {
            story.seconds(9, MB).full(0, 10 * MB, "Allocation Failure");
            assertThat(later(look, 1)).contains("is under way");
            assertThat(later(look, 60)).contains("is under way");
            story.full(0, 10 * MB, "Allocation Failure");
            assertThat(later(look, 1)).contains("were sampled for 10 s; ").endsWith(" live.");
        }
    }

    @Test
    void itWaitsForTwoMinutesAndThenNamesNothing() {
        try (CloserLook look = begun()) {
            Allocations.bytes(1 << 20);
            assertThat(later(look, 119)).contains("is under way");
            assertThat(later(look, 1))
                    .endsWith(", of no use because no collection of the old generation followed.");
        }
        assertThat(looks.history.growth.growing()).isEmpty();
        assertThat(looks.history.closer(true)).isEmpty();
    }

    /** Waiting costs nothing. */
    @Test
    void anotherFindingGetsItsLookMeanwhile() {
        try (CloserLook look = begun()) {
            story.seconds(9, MB);
            look.update(Looks.LOADERS, story.timeline(), story.now);
            assertThat(looks.asked).hasSize(1);
            story.seconds(1, MB);
            look.update(Looks.LOADERS, story.timeline(), story.now);
            look.update(Looks.LOADERS, story.timeline(), story.now);
            assertThat(looks.asked).hasSize(2);
            assertThat(look.notes())
                    .hasSize(2)
                    .allMatch(it -> it.contains("is under way"))
                    .anyMatch(it -> it.contains("metaspace.leak"));
            story.full(0, 10 * MB, "Allocation Failure").seconds(1, MB);
            look.update(List.of(), story.timeline(), story.now);
            assertThat(look.notes()).anyMatch(it -> it.endsWith(" live."));
        }
    }

    @Test
    void aLookThatWasClosedMeanwhileIsLost() {
        CloserLook look =
                looks.opening(
                        0.5,
                        options -> {
                            var recording = HeapSampler.record(options);
                            recording.close();
                            return recording;
                        });
        look.update(leak(List.of()), story.timeline(), story.now);
        assertThat(later(look, 10)).startsWith("The closer look at leak.growth was lost: ");
        looks.asked.clear();
        look.update(leak(List.of()), story.timeline(), story.now + 600_000);
        assertThat(looks.asked).hasSize(1);
    }
}
