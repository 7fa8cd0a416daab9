// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.FacadeAccess;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One recording, which samples from its opening on and cannot be started again. */
final class RecordingSource implements SampleSource {

    private static final String CLOSED =
            "The recording is closed, and its samples are forgotten. The application can open"
                    + " another with HeapSampler.record().";

    private final HeapRecording recording;

    RecordingSource(HeapRecording recording) {
        this.recording = Objects.requireNonNull(recording, "recording");
    }

    @Override
    public HeapSnapshot snapshot(SnapshotOptions options) {
        return recording.snapshot(options);
    }

    @Override
    public HeldBy heldBy(HeldByOptions options) {
        return recording.heldBy(options);
    }

    @Override
    public SamplerStatus status() {
        return FacadeAccess.of(recording).status(recording);
    }

    @Override
    public @Nullable String closedReason() {
        return recording.isOpen() ? null : CLOSED;
    }

    @Override
    public void start() {
        throw new UnsupportedOperationException(
                "A recording samples from its opening on and cannot be started again. The"
                        + " application can open another with HeapSampler.record().");
    }

    @Override
    public void stop() {
        recording.stop();
    }

    @Override
    public void setInterval(long bytes) {
        recording.setInterval(bytes);
    }

    @Override
    public void reset() {
        throw new UnsupportedOperationException(
                "A recording keeps its samples until it is closed. The application can close it and"
                        + " open another with HeapSampler.record().");
    }
}
