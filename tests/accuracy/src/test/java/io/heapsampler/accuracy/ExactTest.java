// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Interval 0: every allocation after the switch counts, exactly, and none before it. */
class ExactTest {

    private static final int SIZE = 64;
    private static final int CYCLES = Tier.of(25, 5_000);

    /** What the JVM allocates at a first call is not ours. */
    @BeforeEach
    void link() {
        before(1);
        after(1);
    }

    @AfterEach
    void stop() {
        HeapSampler.stop();
        HeapSampler.reset();
    }

    private static void before(int count) {
        for (int i = 0; i < count; i++) {
            Allocator.sink = Allocator.array(SIZE);
        }
    }

    private static void after(int count) {
        for (int i = 0; i < count; i++) {
            Allocator.sink = Allocator.array(SIZE);
        }
    }

    private static void assertExactly(HeapRecording recording, int count) {
        HeapSnapshot snapshot = recording.snapshot();
        HeapAmount seen = Sums.allocated(snapshot, ExactTest.class, "after");
        assertThat(seen.samples()).isEqualTo(count);
        assertThat(seen.objects().value()).isEqualTo(count);
        assertThat(seen.objects().standardError()).isZero();
        assertThat(seen.bytes().value()).isEqualTo((double) count * SIZE);
        assertThat(Sums.through(snapshot, ExactTest.class, "before")).isEmpty();
    }

    @Test
    void theFirstAllocationAfterTheSwitchIsSeenEachTime() {
        for (int i = 0; i < CYCLES; i++) {
            before(i % 50);
            try (HeapRecording recording = Sums.ofThisThread(0)) {
                int count = 1 + i % 7;
                after(count);
                assertExactly(recording, count);
            }
        }
    }

    // The sampler's own garbage leads to the end of a step, however long the interval requested.
    @ParameterizedTest
    @ValueSource(longs = {2 << 20, 64 << 20, Integer.MAX_VALUE})
    void switchFromAHugeIntervalIsExactAtOnce(long interval) {
        HeapSampler.start(SamplerOptions.builder().interval(interval).build());
        before(1_000);
        try (HeapRecording recording = Sums.ofThisThread(0)) {
            after(10);
            assertExactly(recording, 10);
        }
    }

    @Test
    void recordingThatBecomesExactIsSoFromTheChangeOn() {
        try (HeapRecording recording = Sums.ofThisThread(4 << 20)) {
            recording.setInterval(0);
            after(100);
            assertExactly(recording, 100);
        }
    }
}
