// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import org.junit.jupiter.api.Test;

/** Each condition of frequent old collections, with all the others met. */
class FrequentOldTest {

    private static final String SPACE = "Allocation Failure";

    /** The old generation may become 112 MiB. */
    private static Story tight(GarbageCollector collector) {
        Story story = new Story(collector, 21);
        story.maxHeap = 128 * MB;
        story.maxYoung = 16 * MB;
        return story;
    }

    private static Story collecting(int times, long grown, long left, double millis) {
        Story story = tight(GarbageCollector.SERIAL);
        for (int i = 0; i < times; i++) {
            story.seconds(10, 10 * MB).old = grown;
            story.full(millis, left, SPACE);
        }
        return story.second(0);
    }

    /** A collector that works beside the application. */
    private static Story cycling(int times, long grown, long left, long millis, String cause) {
        Story story = tight(GarbageCollector.Z_GENERATIONAL);
        for (int i = 0; i < times; i++) {
            story.seconds(10, 10 * MB).old = grown;
            story.old(CollectionKind.OLD_CYCLE, millis, left, cause);
        }
        return story.second(0);
    }

    private static Severity found(Story story) {
        return severity(story.judged(), "old.frequent");
    }

    @Test
    void itTakesThreeInAMinute() {
        assertThat(found(collecting(3, 100 * MB, 69 * MB, 500))).isEqualTo(Severity.WARNING);
        assertThat(found(collecting(2, 100 * MB, 69 * MB, 500))).isNull();
        assertThat(why(collecting(2, 100 * MB, 69 * MB, 500).judged(), "old.frequent"))
                .isEqualTo(
                        "2 collections of the old generation for want of space in the worst"
                                + " minute; it takes 3.");
    }

    @Test
    void aHeapOfWhichLittleIsLiveHasRoom() {
        assertThat(found(collecting(4, 40 * MB, 26 * MB, 500))).isEqualTo(Severity.WARNING);
        assertThat(why(collecting(4, 40 * MB, 25 * MB, 500).judged(), "old.frequent"))
                .contains("the heap has room");
    }

    @Test
    void whereMostIsFreedOrLiveHasRoomItMustBeTightOrStall() {
        assertThat(why(collecting(4, 100 * MB, 45 * MB, 500).judged(), "old.frequent"))
                .isEqualTo("They freed 55 % of the old generation: the live objects have room.");
        assertThat(found(collecting(4, 112 * MB, 52 * MB, 500))).isEqualTo(Severity.WARNING);
        assertThat(found(collecting(4, 80 * MB, 45 * MB, 500))).isEqualTo(Severity.WARNING);
        assertThat(found(cycling(3, 100 * MB, 45 * MB, 100, "Allocation Stall")))
                .isEqualTo(Severity.WARNING);
        assertThat(found(cycling(2, 100 * MB, 45 * MB, 100, "Allocation Stall"))).isNull();
    }

    @Test
    void whatTakesNoTimeDoesNoHarm() {
        assertThat(found(collecting(4, 100 * MB, 69 * MB, 110))).isEqualTo(Severity.WARNING);
        assertThat(why(collecting(4, 100 * MB, 69 * MB, 90).judged(), "old.frequent"))
                .contains("of the worst minute; your limit is 1 %");
    }

    /** G1 collects the old generation in mixed pauses. */
    @Test
    void mixedPausesAreItsHarm() {
        for (int millis : new int[] {60, 40}) {
            Story story = tight(GarbageCollector.G1);
            for (int i = 0; i < 4; i++) {
                story.seconds(11, 10 * MB).old = 90 * MB;
                story.old(CollectionKind.YOUNG_PAUSE, millis, 80 * MB, "G1 Evacuation Pause");
                story.old(CollectionKind.YOUNG_PAUSE, millis, 70 * MB, "G1 Evacuation Pause");
            }
            assertThat(found(story.second(0))).isEqualTo(millis == 60 ? Severity.WARNING : null);
        }
    }

    @Test
    void pausesOfOthersAreNotItsHarm() {
        Story young = collecting(4, 100 * MB, 69 * MB, 10);
        young.young(900, 0);
        assertThat(found(young.second(0))).isNull();
        Story explicit = collecting(4, 100 * MB, 69 * MB, 10);
        explicit.full(900, 69 * MB, "System.gc()");
        assertThat(found(explicit.second(0))).isNull();
    }

    @Test
    void cyclesHarmIfTheyTakeHalfOfTheTimeInATightHeap() {
        assertThat(found(cycling(4, 100 * MB, 69 * MB, 12_000, SPACE))).isEqualTo(Severity.WARNING);
        assertThat(found(cycling(4, 100 * MB, 69 * MB, 8_000, SPACE))).isNull();
        assertThat(found(cycling(4, 80 * MB, 45 * MB, 12_000, SPACE))).isNull();
    }

    @Test
    void pausesAreNoCycles() {
        Story story = tight(GarbageCollector.Z_GENERATIONAL);
        for (int i = 0; i < 4; i++) {
            story.seconds(10, 10 * MB).old = 100 * MB;
            story.old(CollectionKind.OLD_CYCLE, 4_000, 69 * MB, SPACE);
            story.old(CollectionKind.PHASE_PAUSE, 8_000, 69 * MB, SPACE);
        }
        assertThat(found(story.second(0))).isNull();
    }

    @Test
    void withoutGenerationsAllOfTheHeapIsOld() {
        Story story = tight(GarbageCollector.SHENANDOAH);
        story.maxYoung = 64 * MB;
        for (int i = 0; i < 4; i++) {
            story.seconds(10, 10 * MB).old = 70 * MB;
            story.old(CollectionKind.OLD_CYCLE, 12_000, 50 * MB, SPACE);
        }
        assertThat(found(story.second(0))).isNull();
        story.maxHeap = 0;
        assertThat(found(story)).isNull();
    }
}
