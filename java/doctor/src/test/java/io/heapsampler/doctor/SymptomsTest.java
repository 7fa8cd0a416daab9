// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When the rate of allocation has risen, and what it makes a symptom. */
class SymptomsTest {

    /** The megabytes that are allocated in each second. */
    private static Step step(long... megabytes) {
        Story story = Story.g1();
        for (long each : megabytes) {
            story.second(each * MB);
        }
        return Step.of(story.situation());
    }

    @Test
    void fiveSecondsBeforeAndFiveAfterAreNeeded() {
        assertThat(step(10, 10, 10, 10, 10, 30, 30, 30, 30, 30))
                .isEqualTo(new Step(Instant.ofEpochMilli(1_005_000), 10.0 * MB, 30.0 * MB));
        assertThat(step(10, 10, 10, 10, 10, 30, 30, 30, 30)).isNull();
        assertThat(step(10, 10, 10, 10, 30, 30, 30, 30, 30)).isNull();
    }

    @Test
    void itIsMoreThanTheDouble() {
        assertThat(step(10, 10, 10, 10, 10, 20, 20, 20, 20, 20)).isNull();
        assertThat(step(21, 21, 21, 21, 21, 10, 10, 10, 10, 10)).isNull();
        assertThat(step(10, 10, 10, 10, 10, 21, 21, 21, 21, 21)).isNotNull();
    }

    @Test
    void aMegabyteASecondIsNoLoad() {
        assertThat(step(0, 0, 0, 0, 0, 1, 1, 1, 1, 1)).isNull();
        assertThat(step(0, 0, 0, 0, 0, 2, 2, 2, 2, 2)).isNotNull();
    }

    /** The median of the first five is 10 MiB, unless the first one is left out. */
    @Test
    void allocationsOfTheFirstSecondCount() {
        assertThat(step(10, 5, 4, 30, 31, 15, 15, 15, 15, 15)).isNull();
    }

    /**
     * As in a full heap: the allocation is unknown for six seconds. It counts neither as zero nor
     * for the second after them.
     */
    @Test
    void unknownAllocationsAreLeftOut() {
        Story story = Story.g1();
        seconds(story, 10, 10);
        long known = story.allocated;
        story.allocated = -1;
        seconds(story, 6, 0);
        story.allocated = known + 60 * MB;
        seconds(story, 10, 10);
        assertThat(Step.of(story.situation())).isNull();

        seconds(story, 20, 30);
        assertThat(Step.of(story.situation())).isNotNull();
    }

    private static void seconds(Story story, int number, long megabytes) {
        for (int i = 0; i < number; i++) {
            story.second(megabytes * MB);
        }
    }

    private static Finding finding(String id, long at) {
        Finding f = Samples.finding(id, Severity.WARNING);
        return new Finding(
                f.id(),
                f.severity(),
                f.title(),
                Instant.ofEpochMilli(at),
                Instant.ofEpochMilli(at + 1),
                f.collector(),
                f.evidence(),
                f.sites(),
                f.callers(),
                f.notFired(),
                f.refuters(),
                f.advice(),
                f.explainedBy());
    }

    private static List<Evidence> marked(String id, long at, Step step) {
        return Relations.settle(List.of(RelationsTest.verdict(finding(id, at))), step)
                .get(0)
                .evidence();
    }

    @Test
    void whatShowedAfterwardsIsASymptom() {
        Step rise = new Step(Instant.ofEpochMilli(100_000), 10.0 * MB, 30.0 * MB);

        assertThat(marked("gc.stall", 105_000, rise))
                .containsExactly(
                        new Evidence(
                                "symptom",
                                3,
                                "times",
                                "GC is symptom: allocation rose from 10 MiB per second to 30 MiB,"
                                        + " 5 s before this showed."));
        assertThat(marked("gc.stall", 100_000, rise).get(0).text()).endsWith(" when this showed.");
        assertThat(marked("gc.stall", 98_500, rise).get(0).text()).endsWith(" when this showed.");
        assertThat(marked("gc.stall", 98_499, rise)).isEmpty();
    }

    /** Evacuations fail in each of the last ten seconds; before, less was allocated. */
    private static List<String> evacuationFailure(long megabytesBefore) {
        Story story = Story.g1().seconds(30, megabytesBefore * MB);
        for (int i = 0; i < 10; i++) {
            story.young(50, 29 * MB, "G1 Evacuation Pause");
            story.full(60, 10 * MB, "G1 Compaction Pause").second(30 * MB);
        }
        Finding finding = story.judged().finding("gc.evacuation-failure").orElseThrow();
        return finding.evidence().stream().map(Evidence::text).toList();
    }

    @Test
    void evacuationsThatFailUnderLoadAreASymptom() {
        assertThat(evacuationFailure(10))
                .anyMatch(text -> text.startsWith("GC is symptom: allocation rose from 10 MiB"));
        assertThat(evacuationFailure(30)).noneMatch(text -> text.contains("symptom"));
    }

    @Test
    void whatWentOnBeforeTheLoadIsNoSymptom() {
        Story story = new Story(GarbageCollector.Z, 17);
        for (int i = 0; i < 30; i++) {
            story.event("ZAllocationStall", 9, Map.of()).second((i < 15 ? 10 : 40) * MB);
        }
        assertThat(story.judged().finding("gc.stall").orElseThrow().evidence())
                .noneMatch(each -> each.name().equals("symptom"));
    }

    @Test
    void whatMoreAllocationDoesNotBringAboutIsNone() {
        Step rise = new Step(Instant.ofEpochMilli(100_000), 10.0 * MB, 30.0 * MB);

        assertThat(marked("leak.growth", 105_000, rise)).isEmpty();
        assertThat(marked("gc.stall", 105_000, null)).isEmpty();
    }
}
