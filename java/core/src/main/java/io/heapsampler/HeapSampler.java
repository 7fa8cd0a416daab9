// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Log;
import io.heapsampler.internal.NativeEngine;
import io.heapsampler.internal.NativeLibrary;
import java.util.Objects;

/**
 * Samples the heap allocations of this process: who allocated what, and how much of it is still
 * alive.
 *
 * <pre>{@code
 * HeapSampler.start();
 * work();
 * HeapSnapshot snapshot = HeapSampler.snapshot(SnapshotOptions.afterGc());
 * for (HeapSite site : snapshot.topByLive(5)) {
 *     System.out.println(site.live().bytes() + " bytes of " + site.className());
 *     site.stack().stream().limit(3).forEach(frame -> System.out.println("    at " + frame));
 * }
 * }</pre>
 *
 * <p>There is one process-wide sampler, with the states of {@link SamplerState}: {@link #start()}
 * leads from {@code NEW} or {@code STOPPED} to {@code RUNNING}, {@link #stop()} from {@code
 * RUNNING} to {@code STOPPED}. Beside it {@linkplain #record recordings} can be open.
 *
 * <p>All methods are safe for use by many threads and queue behind each other. Nothing is loaded
 * before the first call of {@link #start()}, {@link #record} or {@link #isSupported()}.
 *
 * <p><b>A thread's first sample.</b> A JVM thread draws the distance to its next sample when it
 * takes one, so a new interval holds for a thread only after it has passed one sample point. For
 * the calling thread, {@code start}, {@code record} and a {@code setInterval} to less see to that
 * by allocating until the point is passed, 4 MiB on average at most; other threads get there by
 * themselves. What was drawn with the interval before is weighed as such.
 */
public final class HeapSampler {

    private static final ProcessSampler SAMPLER = new ProcessSampler(new NativeEngine());

    private HeapSampler() {}

    /**
     * Starts sampling all threads, with the interval and limits last in use, at first the defaults
     * of {@link SamplerOptions}. Samples taken before a {@link #stop()} are kept. Does nothing when
     * running. Afterwards the state is {@link SamplerState#RUNNING}.
     *
     * @throws HeapSamplingUnavailableException if this JVM cannot be sampled; the state is
     *     unchanged
     */
    public static void start() {
        SAMPLER.start(null);
    }

    /**
     * Starts sampling all threads. An interval that is set in the options wins over the one last in
     * use. Does nothing when running with the same options; one that is not set is no other, and is
     * left as it is while samples are kept. Afterwards the state is {@link SamplerState#RUNNING}.
     *
     * @param options interval and limits
     * @throws HeapSamplingUnavailableException if this JVM cannot be sampled; the state is
     *     unchanged
     * @throws IllegalStateException if the sampler is running with other options, or if other
     *     limits are in force for samples that are still kept; the message says what to do
     */
    public static void start(SamplerOptions options) {
        SAMPLER.start(Objects.requireNonNull(options, "options"));
    }

    /**
     * Changes the interval, now if running, else for the next start. The state does not change.
     * Samples taken before keep their weights.
     *
     * @param bytes mean bytes between two samples of a thread: from 0, for every allocation, to
     *     {@link Integer#MAX_VALUE}
     * @throws IllegalArgumentException if the number is out of range
     */
    public static void setInterval(long bytes) {
        SAMPLER.setInterval(bytes);
    }

    /**
     * Stops sampling and keeps the samples, whose lives are still followed. Does nothing unless
     * running; afterwards the state is {@link SamplerState#STOPPED}, or still {@link
     * SamplerState#NEW}. Recordings go on.
     */
    public static void stop() {
        SAMPLER.stop();
    }

    /**
     * Forgets all samples of the process-wide sampler. The state does not change. When stopped, its
     * memory is given back too, limits can be set anew, and nothing is reported any more when
     * memory runs out.
     */
    public static void reset() {
        SAMPLER.reset();
    }

    /**
     * Returns what has been sampled so far. Sampling goes on meanwhile; an allocation made during
     * this call may or may not be counted. The state does not change.
     *
     * @return an immutable snapshot; an empty one if nothing was ever started
     * @throws HeapSamplingUnavailableException if native memory is lacking, or the JVM is shutting
     *     down
     */
    public static HeapSnapshot snapshot() {
        return snapshot(SnapshotOptions.defaults());
    }

    /**
     * Returns what has been sampled so far, after a forced collection if the options say so. The
     * state does not change.
     *
     * @param options whether to force a collection first
     * @return an immutable snapshot; an empty one, without a collection, if nothing was ever
     *     started
     * @throws HeapSamplingUnavailableException if native memory is lacking, or the JVM is shutting
     *     down
     */
    public static HeapSnapshot snapshot(SnapshotOptions options) {
        return SAMPLER.snapshot(Objects.requireNonNull(options, "options"));
    }

    /**
     * Opens a recording, which runs beside the process-wide sampler and is independent of its
     * state.
     *
     * @param options what it accepts
     * @return an open recording, to be closed
     * @throws HeapSamplingUnavailableException if this JVM cannot be sampled
     * @throws IllegalStateException if 64 recordings are open
     */
    public static HeapRecording record(RecordingOptions options) {
        return SAMPLER.record(Objects.requireNonNull(options, "options"));
    }

    /**
     * Says whether this JVM can be sampled, by loading the library. Another agent may still hold
     * the sampling capability, which is known only at {@link #start()}. Never throws; the reason
     * for a no is logged at debug level and thrown by {@code start()}.
     *
     * @return true if the library is loaded
     */
    public static boolean isSupported() {
        try {
            NativeLibrary.ensureLoaded();
            return true;
        } catch (RuntimeException | LinkageError e) {
            Log.debug("heap sampling is not supported", e);
            return false;
        }
    }

    /**
     * Returns the state of the sampler and of its engine. Loads nothing. A snapshot that forces a
     * collection makes it wait for the end of that.
     *
     * @return the status now
     */
    public static SamplerStatus status() {
        return SAMPLER.status();
    }
}
