// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SamplerState;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SnapshotOptions;
import org.jspecify.annotations.Nullable;

/**
 * Samples that can be served and pushed, and what their owner can change: those of the process-wide
 * sampler, or of one recording. Safe for use by many threads.
 */
public interface SampleSource {

    /**
     * Returns the samples so far.
     *
     * @throws ClosedRecordingException if the recording is closed
     */
    HeapSnapshot snapshot(SnapshotOptions options);

    /**
     * Forces a full collection, and searches the holders of live objects among the samples.
     *
     * @throws ClosedRecordingException if the recording is closed
     * @throws IllegalStateException if nothing was sampled, if no objects are tracked, or if
     *     another search is running and the options do not wait for it; the message says which
     */
    HeldBy heldBy(HeldByOptions options);

    /** Returns the status of the engine, with the state and the interval of this source. */
    SamplerStatus status();

    /** Returns the state of this source. */
    default SamplerState state() {
        return status().state();
    }

    /** Returns why there will be no more samples; null while there may be. */
    default @Nullable String closedReason() {
        return null;
    }

    /**
     * Starts sampling.
     *
     * @throws UnsupportedOperationException if this source cannot be started; the message says why
     */
    void start();

    /** Gives back only what {@link #start} has taken: others may hold the sampler further on. */
    void stop();

    /**
     * Changes the interval.
     *
     * @throws IllegalStateException if samples are chosen by another strategy than bytes
     */
    void setInterval(long bytes);

    /**
     * Forgets all samples.
     *
     * @throws UnsupportedOperationException if this source cannot do that; the message says why
     */
    void reset();

    /**
     * Returns the process-wide sampler, with the hold of the application: the two are one holder.
     */
    static SampleSource ofProcess() {
        return new ProcessSource(HeapSampler::start, HeapSampler::stop);
    }

    /** Returns the process-wide sampler with another way to start and stop it. */
    static SampleSource ofProcess(Runnable start, Runnable stop) {
        return new ProcessSource(start, stop);
    }

    /** Returns a recording. Its owner closes it. */
    static SampleSource of(HeapRecording recording) {
        return new RecordingSource(recording);
    }
}
