// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.severity;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Story;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** What counts as growth of what is live, and what does not. */
class LiveTrendTest {

    private static boolean rises(int olds, IntToLongFunction megabytes) {
        Story story = Story.serial();
        for (int i = 0; i < olds; i++) {
            story.seconds(5, MB).old = 200 * MB;
            story.full(0, megabytes.applyAsLong(i) * MB, "Allocation Failure");
        }
        return severity(story.judged(), "leak.growth") != null;
    }

    @Test
    void itRisesSteadily() {
        assertThat(rises(12, i -> 20 + 8 * i + i % 2 * 10)).isTrue();
        assertThat(rises(12, i -> 20 + 8 * i + i % 2 * 60)).isFalse();
    }

    @Test
    void byFifteenPercent() {
        assertThat(rises(12, i -> 100 + 2 * i)).isTrue();
        assertThat(rises(12, i -> 100 + i)).isFalse();
    }

    @Test
    void andGoesOn() {
        assertThat(rises(12, i -> 10 + (i < 8 ? 10 * i : 72 - 2 * (i - 8)))).isFalse();
        assertThat(rises(14, i -> 10 + (i < 7 ? 10 * i : 63 + i))).isFalse();
    }

    /** Thick and fast at the end, when the heap is full: each piece of the time counts once. */
    @Test
    void manyAtTheEndHideNoGrowth() {
        Story story = Story.serial();
        for (int i = 0; i < 148; i++) {
            story.second(MB).old = 250 * MB;
            story.millis(i < 48 ? 4_000 : 0);
            story.full(0, Math.min(20 + 4 * i, 212) * MB, "Allocation Failure");
            story.now -= i < 48 ? 0 : 999;
        }
        assertThat(severity(story.judged(), "leak.growth")).isNotNull();
    }
}
