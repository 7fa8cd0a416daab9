// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a report near a limit is due: weeks of readings, one a second. */
class CrossingTest {

    private final Crossing crossing = new Crossing(0.9);

    private static MemoryUse used(long bytes) {
        return MemoryUse.of("the heap", bytes, 1_000);
    }

    /** Returns whether it was due, and reports it then. */
    private boolean isReported(long bytes) {
        boolean isDue = crossing.isDue(used(bytes));
        if (isDue) {
            crossing.reported();
        }
        return isDue;
    }

    @Test
    void itIsDueFromTheShareOn() {
        assertThat(isReported(0)).isFalse();
        assertThat(isReported(899)).isFalse();
        assertThat(isReported(900)).isTrue();
    }

    @Test
    void itIsDueUntilItIsMade() {
        assertThat(crossing.isDue(used(950))).isTrue();
        assertThat(crossing.isDue(used(950))).isTrue();
        assertThat(crossing.isDue(used(890))).isFalse();
        assertThat(crossing.isDue(used(950))).isTrue();
        crossing.reported();
        assertThat(crossing.isDue(used(950))).isFalse();
    }

    @Test
    void aUseThatHoversAboutTheSharePassesItOnce() {
        assertThat(isReported(901)).isTrue();
        for (int second = 0; second < 100_000; second++) {
            assertThat(isReported(second % 2 == 0 ? 856 : 1_000)).isFalse();
        }
    }

    @Test
    void afterAFallByATwentiethItCanBePassedAgain() {
        assertThat(isReported(901)).isTrue();
        assertThat(isReported(854)).isFalse();
        assertThat(isReported(899)).isFalse();
        assertThat(isReported(901)).isTrue();
    }

    @Test
    void garbageIsNoEvidence() {
        MemoryUse doubtful = used(990).with(10, false);
        assertThat(crossing.isDue(doubtful)).isFalse();
        assertThat(crossing.isDue(used(990))).isTrue();
    }

    @Test
    void withoutALimitNothingIsDue() {
        assertThat(crossing.isDue(null)).isFalse();
    }
}
