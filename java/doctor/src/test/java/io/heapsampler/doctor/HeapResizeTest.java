// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import org.junit.jupiter.api.Test;

/** Each condition of a heap that is enlarged again and again. */
class HeapResizeTest {

    /** A heap of up to 256 MiB that is enlarged at the given number of young pauses. */
    private static Story enlarged(int rises, double millis, long old) {
        Story story = small(old);
        for (int i = 0; i < rises; i++) {
            story.committed += MB;
            story.second(MB).young(millis, 0);
        }
        return story;
    }

    private static Story small(long old) {
        Story story = Story.g1();
        story.initialHeap = 8 * MB;
        story.committed = 8 * MB;
        story.old = old;
        return story;
    }

    private static Facts judged(Story story) {
        return Story.rule("heap.resize").judge(story.situation());
    }

    private static Severity severity(Story story) {
        Finding finding = judged(story).finding;
        return finding == null ? null : finding.severity();
    }

    @Test
    void threeTimesAreReported() {
        assertThat(severity(enlarged(3, 1, 10 * MB))).isEqualTo(Severity.INFO);
        assertThat(judged(enlarged(2, 1, 10 * MB)).check.why())
                .isEqualTo(
                        "The heap was enlarged at 2 collections with much free space; it takes 3.");
    }

    @Test
    void moreThanAFiftiethOfAMinuteOrAHundredCollectionsHarm() {
        assertThat(severity(enlarged(20, 60, 10 * MB).seconds(60, MB))).isEqualTo(Severity.INFO);
        assertThat(severity(enlarged(20, 60.5, 10 * MB).seconds(60, MB)))
                .isEqualTo(Severity.WARNING);
        assertThat(severity(enlarged(100, 0.1, 10 * MB))).isEqualTo(Severity.INFO);
        assertThat(severity(enlarged(101, 0.1, 10 * MB))).isEqualTo(Severity.WARNING);
    }

    /** Each pause leaves a megabyte of survivors. */
    @Test
    void halfOfWhatItMayBecomeIsFree() {
        assertThat(severity(enlarged(9, 1, 127 * MB - 1))).isEqualTo(Severity.INFO);
        assertThat(severity(enlarged(9, 1, 127 * MB))).isNull();
    }

    @Test
    void aHeapThatStaysAsItIsWasNotEnlarged() {
        Story story = enlarged(2, 1, 10 * MB);
        for (int i = 0; i < 9; i++) {
            story.second(MB).young(1, 0);
        }
        assertThat(judged(story).check.why()).startsWith("The heap was enlarged at 2 ");
    }

    @Test
    void onlyPausesCount() {
        Story story = enlarged(3, 1, 10 * MB);
        for (int i = 0; i < 9; i++) {
            story.committed += MB;
            story.second(MB).old(CollectionKind.UNKNOWN, 900, 10 * MB, "No GC");
        }
        assertThat(judged(story).finding.title())
                .isEqualTo("The heap was enlarged 3 times, with a collection each time");
        assertThat(Story.value(judged(story).finding, "pauses")).isEqualTo(3);
    }

    @Test
    void concurrentCollectorsNeedNoCollectionForIt() {
        Story story = new Story(GarbageCollector.Z, 17).second(MB);
        story.initialHeap = 8 * MB;

        assertThat(judged(story).check.observable()).isFalse();
        assertThat(judged(story).check.why()).endsWith("without collecting for it.");
    }

    /** The inspected time begins later than the timeline. */
    @Test
    void whatWasEnlargedBeforeTheLastTenMinutesIsNotCounted() {
        Story story = Story.serial();
        story.initialHeap = 16 * MB;
        story.maxHeap = 1024 * MB;
        story.committed = 64 * MB;
        story.second(MB).young(5, 0).seconds(700, MB);
        for (int i = 0; i < 3; i++) {
            story.committed += i * 64 * MB;
            story.second(MB).young(5, 0);
        }
        assertThat(why(story.second(MB).judged(), "heap.resize"))
                .startsWith("The heap was enlarged at 2 collections");
    }
}
