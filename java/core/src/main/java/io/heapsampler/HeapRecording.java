// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.Engine;
import io.heapsampler.internal.FacadeAccess;
import io.heapsampler.internal.shared.ClosedRecordingException;
import java.util.Objects;

/**
 * A scoped recording: from its opening on, it keeps the samples that its {@link RecordingOptions}
 * accept. Recordings run beside each other and beside the process-wide sampler. The smallest
 * requested interval is in force for all threads, and each sample is weighted with the interval
 * with which it was drawn, so no recording changes the figures of another. A recording can be
 * served over HTTP and pushed like the process-wide sampler.
 *
 * <p>Recordings share the cost. While a recording of interval 0 is open, the JVM reports every
 * allocation of every thread, even if the recording accepts only one thread.
 *
 * <pre>{@code
 * try (HeapRecording recording = HeapSampler.record(
 *         RecordingOptions.builder().interval(0).thread(Thread.currentThread()).build())) {
 *     work();
 *     System.out.println(recording.snapshot().totals());
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads; calls are serialized. Up to 64 recordings can be open at once,
 * including the process-wide sampler. A recording that is never closed keeps sampling.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class HeapRecording implements AutoCloseable {

    static {
        FacadeAccess.openRecordings(recording -> recording.recordings);
    }

    private final Recordings recordings;
    private final int handle;
    private final RecordingOptions options;
    private final long openedNanos = System.nanoTime();

    // Written under the lock of the sampler. Apart from each other: closing must not allocate.
    private volatile int interval;
    private volatile boolean stopped;
    private volatile boolean open = true;

    HeapRecording(Recordings recordings, int handle, RecordingOptions options) {
        this.recordings = recordings;
        this.handle = handle;
        this.options = options;
        this.interval = (int) options.interval();
    }

    /**
     * Returns the samples of this recording so far. Sampling continues.
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
     * Returns the samples of this recording so far. Sampling continues.
     *
     * @param options whether to force a collection first
     * @return an immutable snapshot
     * @throws IllegalStateException if this recording is closed
     * @throws HeapSamplingUnavailableException if native memory is lacking, or the JVM is shutting
     *     down
     */
    public HeapSnapshot snapshot(SnapshotOptions options) {
        Objects.requireNonNull(options, "options");
        return recordings.snapshot(this, Engine.after(options), 0);
    }

    /**
     * Forces a full collection, and finds out which references keep live objects of this recording
     * alive. Sampling continues.
     *
     * @param options which of the live objects, and what the search may cost
     * @return the holders; without any if no live object matches
     * @throws IllegalStateException if this recording is closed, if it tracks no objects, or if
     *     another search is running and the options do not wait for it
     * @throws HeapSamplingUnavailableException if native memory is lacking, or the JVM is shutting
     *     down
     */
    public HeldBy heldBy(HeldByOptions options) {
        return recordings.heldBy(this, Objects.requireNonNull(options, "options"));
    }

    /**
     * Changes the interval of this recording. Earlier samples keep their weights. A recording that
     * is stopped, or whose duration is over, does not start again.
     *
     * @param bytes from 0, for every allocation, to {@link Integer#MAX_VALUE}
     * @throws IllegalArgumentException if the number is out of range
     * @throws IllegalStateException if this recording is closed, or if samples are chosen by
     *     another strategy than bytes
     * @throws HeapSamplingUnavailableException if native memory is lacking, or the JVM is shutting
     *     down
     */
    public void setInterval(long bytes) {
        recordings.setInterval(this, bytes);
    }

    /**
     * Stops sampling for this recording and keeps its samples, whose liveness is still tracked.
     * Does nothing if the recording is stopped already.
     *
     * @throws IllegalStateException if this recording is closed
     */
    public void stop() {
        recordings.stop(this);
    }

    /**
     * Stops sampling for this recording and forgets its samples. Snapshots already taken stay
     * valid. A second call does nothing. Works on a full heap.
     */
    @Override
    public void close() {
        recordings.close(this);
    }

    /** {@return whether this recording is open} */
    public boolean isOpen() {
        return open;
    }

    /** {@return the options with which this recording was opened} */
    public RecordingOptions options() {
        return options;
    }

    int handle() {
        if (!open) {
            throw new ClosedRecordingException();
        }
        return handle;
    }

    /** Marks it as closed because the engine no longer has it, and returns the refusal. */
    ClosedRecordingException lost() {
        open = false;
        return new ClosedRecordingException();
    }

    /** Returns whether samples are accepted: it is open, not stopped, and its time is not up. */
    boolean isSampling() {
        long duration = options.durationNanos();
        boolean isOver = duration != 0 && System.nanoTime() - openedNanos >= duration;
        return open && !stopped && !isOver;
    }

    /** Returns the interval in bytes, as it was set last. */
    int interval() {
        return interval;
    }

    void intervalChanged(int bytes) {
        interval = bytes;
    }

    void markStopped() {
        stopped = true;
    }

    void markClosed() {
        open = false;
    }

    @Override
    public String toString() {
        return "HeapRecording (" + (open ? "open" : "closed") + ", " + options + ")";
    }
}
