// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Programs tell samples apart by their times, so those must not vary. */
@ExtendWith(CleanSampler.class)
class SampleTimeTest {

    private static final int SNAPSHOTS = 300;

    private static volatile Object kept;

    private static final class Marked {}

    @Test
    void aSampleHasTheSameTimeInEachSnapshot() {
        try (HeapRecording recording = Recordings.every(0)) {
            kept = new Marked();
            recording.stop(); // So that snapshots are quick.
            Set<Instant> times = new HashSet<>();
            for (int i = 0; i < SNAPSHOTS; i++) {
                recording.snapshot().samples().stream()
                        .filter(sample -> sample.className().equals(Marked.class.getName()))
                        .map(HeapSample::allocatedAt)
                        .forEach(times::add);
            }
            assertThat(times).as("times of %s", kept).hasSize(1);
        }
    }
}
