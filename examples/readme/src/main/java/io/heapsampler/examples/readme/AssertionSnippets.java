// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.readme;

import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SnapshotOptions;

/** The README's piece about AssertJ. */
public final class AssertionSnippets {

    private AssertionSnippets() {}

    public static void assertj() {
        RecordingOptions everything =
                RecordingOptions.builder().interval(0).thread(Thread.currentThread()).build();
        // readme: assertj
        try (HeapRecording recording = HeapSampler.record(everything)) {
            Work.handleRequest();
            HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());
            assertThat(snapshot).allocatesAtMost("16 MB").hasNoDrops();
            assertThat(snapshot).sitesOf(byte[].class).leavesBehindAtMost("4 MB");
            assertThat(snapshot)
                    .sitesAt(Work.class, "handleRequest")
                    .allocatedBytes()
                    .isAtLeast("1 MB");
        }
        // end
    }
}
