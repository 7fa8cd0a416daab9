// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.Engine;
import io.heapsampler.internal.FacadeAccess;
import java.util.Objects;

/**
 * A scoped recording: it sees the samples that its {@link RecordingOptions} accept, from its
 * opening on. Recordings run beside each other and beside the process-wide sampler. The smallest
 * requested interval is in force for all threads, and every sample is weighed with the interval
 * with which it was drawn, so no recording changes the figures of another.
 *
 * <p>They share the cost. While a recording of interval 0 is open, the JVM calls back for every
 * allocation of every thread, also where the recording looks at one thread alone.
 *
 * <pre>{@code
 * try (HeapRecording recording = HeapSampler.record(
 *         RecordingOptions.builder().interval(0).thread(Thread.currentThread()).build())) {
 *     work();
 *     System.out.println(recording.snapshot().totals());
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads; calls queue behind each other. Up to 64 recordings can be open
 * at once, the process-wide sampler included. A recording that is never closed keeps sampling on.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class HeapRecording implements AutoCloseable {

    static {
        FacadeAccess.open(
                new FacadeAccess.Recordings() {
                    @Override
                    public int expectCollection(HeapRecording recording) {
                        return recording.sampler.expectCollection(recording);
                    }

                    @Override
                    public HeapSnapshot snapshot(
                            HeapRecording recording, int after, long pauseMicros) {
                        return recording.sampler.snapshot(recording, after, pauseMicros);
                    }
                });
    }

    private final ProcessSampler sampler;
    private final int handle;
    private final RecordingOptions options;

    /** Written under the lock of the sampler. */
    private volatile boolean open = true;

    HeapRecording(ProcessSampler sampler, int handle, RecordingOptions options) {
        this.sampler = sampler;
        this.handle = handle;
        this.options = options;
    }

    /**
     * Returns what this recording has seen so far. Sampling goes on meanwhile.
     *
     * @return an immutable snapshot
     * @throws IllegalStateException if this recording is closed
     * @throws HeapSamplingUnavailableException if native memory is lacking, or the JVM is shutting
     *     down
     */
    public HeapSnapshot snapshot() {
        return snapshot(SnapshotOptions.defaults());
    }

    /**
     * Returns what this recording has seen so far. Sampling goes on meanwhile.
     *
     * @param options whether to force a collection first
     * @return an immutable snapshot
     * @throws IllegalStateException if this recording is closed
     * @throws HeapSamplingUnavailableException if native memory is lacking, or the JVM is shutting
     *     down
     */
    public HeapSnapshot snapshot(SnapshotOptions options) {
        Objects.requireNonNull(options, "options");
        return sampler.snapshot(this, Engine.after(options), 0);
    }

    /**
     * Changes the interval of this recording. Samples taken before keep their weights. A recording
     * whose time is up has ended, and stays so.
     *
     * @param bytes from 0, for every allocation, to {@link Integer#MAX_VALUE}
     * @throws IllegalArgumentException if the number is out of range
     * @throws IllegalStateException if this recording is closed, or if samples are chosen by
     *     another strategy than bytes
     * @throws HeapSamplingUnavailableException if native memory is lacking, or the JVM is shutting
     *     down
     */
    public void setInterval(long bytes) {
        sampler.setInterval(this, bytes);
    }

    /**
     * Stops sampling for this recording and keeps its samples, whose lives are still followed.
     * Harmless when stopped before.
     *
     * @throws IllegalStateException if this recording is closed
     */
    public void stop() {
        sampler.stop(this);
    }

    /**
     * Stops sampling for this recording and forgets its samples. Snapshots taken stay as they are.
     * Harmless when closed before.
     */
    @Override
    public void close() {
        sampler.close(this);
    }

    /**
     * Says whether this recording can still be used.
     *
     * @return false once it is closed
     */
    public boolean isOpen() {
        return open;
    }

    /**
     * Returns the options with which this recording was opened.
     *
     * @return the options
     */
    public RecordingOptions options() {
        return options;
    }

    int handle() {
        if (!open) {
            throw new IllegalStateException(
                    "This recording is closed. Take snapshots before close(), or open another with"
                            + " HeapSampler.record().");
        }
        return handle;
    }

    void markClosed() {
        open = false;
    }

    @Override
    public String toString() {
        return "HeapRecording (" + (open ? "open" : "closed") + ", " + options + ")";
    }
}
