// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SnapshotOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** With a JVM that samples: this thread, every allocation. */
class RealSnapshotTest {

    private final List<Object> kept = new ArrayList<>(256);

    private void keep(int count) {
        for (int i = 0; i < count; i++) {
            kept.add(new byte[1000]);
        }
    }

    private void drop(int count) {
        for (int i = 0; i < count; i++) {
            kept.set(0, new int[250]);
        }
        kept.set(0, this);
    }

    private static HeapRecording record() {
        return HeapSampler.record(
                RecordingOptions.builder().interval(0).thread(Thread.currentThread()).build());
    }

    @Test
    void allocatedAndLiveObjectsAreReportedByTypeAndPlace() {
        kept.add(this);
        try (HeapRecording recording = record()) {
            keep(100);
            drop(50);
            HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());

            assertThat(snapshot).isAfterGc().hasNoDrops();
            assertThat(snapshot)
                    .siteAt(RealSnapshotTest.class, "keep")
                    .isOf(byte[].class)
                    .hasAllocatedAtLeast(100 * 1016)
                    .allocatesAtMost(100 * 1016)
                    .hasLiveObjectsAtLeast(100);
            assertThat(snapshot)
                    .sitesAt(RealSnapshotTest.class, "drop")
                    .hasAllocatedObjectsAtLeast(50)
                    .hasNothingLive();
            assertThat(snapshot)
                    .sitesUnder(RealSnapshotTest.class, "keep")
                    .hasAllocatedObjectsAtLeast(100);
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(
                            () -> assertThat(snapshot).sitesOf("byte[]").leavesBehindAtMost("9 KB"))
                    .withMessageContaining("at io.heapsampler.assertj.RealSnapshotTest.keep(Real");
        }
    }

    @Test
    void aLeakBetweenTwoSnapshotsIsNamed() {
        try (HeapRecording recording = record()) {
            HeapSnapshot before = recording.snapshot(SnapshotOptions.afterGc());
            keep(100);
            HeapSnapshot after = recording.snapshot(SnapshotOptions.afterGc());

            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> assertThat(after.diff(before)).hasNoGrowingSites())
                    .withMessageContaining("of byte[], from 0 B to 99.2 KiB, 100 samples");
            assertThat(after.diff(before)).hasGrownByAtMost("200 KB").isAfterGc();
        }
    }
}
