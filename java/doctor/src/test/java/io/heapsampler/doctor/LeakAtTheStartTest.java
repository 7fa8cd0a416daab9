// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What fills the heap while an application starts: its data, or a leak. */
class LeakAtTheStartTest {

    /** The thresholds of metaspace make full collections while an application loads its data. */
    private static Story starting(long maxYoung, int secondsLater) {
        Story story = Story.serial();
        story.maxYoung = maxYoung;
        for (int i = 0; i < 12; i++) {
            story.loaded += i < 10 ? 800 : 0;
            story.second(20 * MB).old = (20 + 11 * i) * MB;
            if (i % 2 == 0) {
                story.full(50, story.old, "Metadata GC Threshold");
            }
        }
        return story.seconds(secondsLater, MB);
    }

    @Test
    void dataThatIsLoadedAtTheStartIsNotWarnedOf() {
        for (int seconds = 0; seconds < 60; seconds += 5) {
            assertThat(severity(starting(-1, seconds).judged(), "leak.growth"))
                    .as("%d s later", seconds)
                    .isNotIn(Severity.WARNING, Severity.CRITICAL);
        }
    }

    /** It fills 130 of the 150 MiB of the old generation, and the young one has room. */
    @Test
    void norIfItNearlyFillsTheOldGeneration() {
        for (int seconds = 0; seconds < 60; seconds += 5) {
            assertThat(severity(starting(106 * MB, seconds).judged(), "leak.growth"))
                    .as("%d s later", seconds)
                    .isEqualTo(Severity.INFO);
        }
    }

    /**
     * The old generation was full within the start, and full pauses leave more in the young one.
     */
    @Test
    void butALeakThatGoesOnInTheYoungGenerationIs() {
        Story story = starting(106 * MB, 0);
        for (int i = 0; i < 16; i++) {
            story.second(20 * MB).fullOfBoth(50, 20 * MB, story.old + 4 * i * MB);
        }
        assertThat(severity(story.judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
    }

    /** Parallel leaves a part of the young generation free that the application cannot use. */
    @Test
    void norIsThereRoomWhereFullPausesAreInVain() {
        Story full = starting(106 * MB, 0).second(20 * MB);
        full.fullOfBoth(50, 20 * MB, full.old + 20 * MB).fullOfBoth(50, MB, full.old + 20 * MB);
        assertThat(severity(full.judged(), "leak.growth")).isEqualTo(Severity.CRITICAL);
    }

    /** A class or two of each request do not count as a start that never ends. */
    @Test
    void aLeakIsWarnedOfThoughClassesAreLoadedAllTheTime() {
        Story story = Story.serial();
        for (int i = 0; i < 20; i++) {
            story.loaded += 200;
            story.seconds(5, 20 * MB).old = (20 + 8 * i) * MB;
            story.full(50, story.old, "Allocation Failure");
        }
        assertThat(severity(story.judged(), "leak.growth")).isEqualTo(Severity.WARNING);
    }
}
