// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.NativeEngine;
import io.heapsampler.internal.NativeLibrary;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Samples the heap allocations of this process: the allocating code, the allocated amount, and how
 * much of it is still alive.
 *
 * <pre>{@code
 * HeapSampler.start();
 * work();
 * HeapSnapshot snapshot = HeapSampler.snapshot(SnapshotOptions.afterGc());
 * for (HeapSite site : snapshot.topByLive(5)) {
 *     System.out.println(site.live().bytes() + " bytes of " + site.className());
 *     site.stack().stream()
 *             .filter(frame -> !frame.isImplementation())
 *             .limit(3)
 *             .forEach(frame -> System.out.println("    at " + frame));
 * }
 * }</pre>
 *
 * <p>There is one process-wide sampler, with the states of {@link SamplerState}. It takes samples
 * while it is held. {@link #start()} takes the application's hold, and {@link #stop()} releases
 * only that hold. Libraries and tools take holds of their own with {@link #share}, so none of them
 * ends the sampling of another. {@link SamplerStatus#holders()} returns the names of all holders.
 * {@link #setInterval} and {@link #reset()} affect all holders. Call them only from the code that
 * controls the sampler. Beside the process-wide sampler, {@linkplain #record recordings} can be
 * open.
 *
 * <p>Copies of this class in several class loaders share the sampler, and so does an agent. Each
 * copy has an application's hold of its own; the holds of a copy end when its class loader is
 * collected.
 *
 * <p>All methods are thread-safe. Calls are serialized, except {@link #status()}, which never
 * waits. Nothing is loaded before the first call of {@link #start()}, {@link #share}, {@link
 * #record}, {@link #tryStart()} or {@link #unavailability()}, unless an agent or another copy of
 * this class runs the engine already: then {@link #status()} and others load the library.
 *
 * <p><b>A thread's first sample.</b> A JVM thread draws the distance to its next sample when it
 * takes one, so a smaller interval applies to a thread only after it has passed one sample point.
 * {@code start}, {@code record} and a {@code setInterval} to a smaller interval make the calling
 * thread allocate until it has passed that point, 4 MiB on average at most; other threads pass it
 * during their own work. Samples drawn with the earlier interval are weighted with it. A larger
 * interval applies at once.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
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
     * use. Unset options follow the terms in force while samples are kept. Afterwards the state is
     * {@link SamplerState#RUNNING}.
     *
     * <p>If the sampler is running, it is joined, and the smallest interval that a holder requests
     * is in force. Each sample keeps the interval with which it was drawn, so a smaller interval
     * changes no estimate of other holders. Does nothing if the application has started it before
     * and its interval is as small as this.
     *
     * @param options interval and limits
     * @throws IllegalArgumentException if no {@linkplain SamplerOptions.Builder#reportOnOom report}
     *     could be written to the file of the options; the message says why
     * @throws HeapSamplingUnavailableException if this JVM cannot be sampled; the state is
     *     unchanged
     * @throws IllegalStateException if the sampler is running with other limits, another strategy,
     *     another report file, or, started by the application, a greater interval; if other limits
     *     are in force for samples that are still kept; or if there are 32 holders. The message
     *     names the holders and what to do
     */
    public static void start(SamplerOptions options) {
        SAMPLER.start(Objects.requireNonNull(options, "options"));
    }

    /**
     * Starts sampling as {@link #start()} does, or returns why that is not possible. An application
     * that also runs without samples needs no try statement.
     *
     * @return null if the sampler is running; else the reason and a text
     * @throws IllegalStateException if there are 32 holders
     */
    public static @Nullable Unavailability tryStart() {
        return tried(null);
    }

    /**
     * Starts sampling as {@link #start(SamplerOptions)} does, or returns why this JVM cannot be
     * sampled.
     *
     * @param options interval and limits
     * @return null if the sampler is running; else the reason and a text
     * @throws IllegalStateException as {@link #start(SamplerOptions)} does
     */
    public static @Nullable Unavailability tryStart(SamplerOptions options) {
        return tried(Objects.requireNonNull(options, "options"));
    }

    private static @Nullable Unavailability tried(@Nullable SamplerOptions options) {
        Unavailability reason = unavailability(); // also for errors that start() does not wrap
        if (reason != null) {
            return reason;
        }
        try {
            SAMPLER.start(options);
            return null;
        } catch (HeapSamplingUnavailableException e) {
            return new Unavailability(e);
        }
    }

    /**
     * Holds the process-wide sampler for a library or a tool, with the interval, strategy and
     * limits in force, or as {@link #start()} does if it is not running.
     *
     * @param name of the holder, for {@link SamplerStatus#holders()} and messages: 1 to 31 letters,
     *     digits, dots, hyphens or underscores; not {@code application}
     * @return a hold, to be closed
     * @throws IllegalArgumentException if the name is not allowed
     * @throws HeapSamplingUnavailableException if this JVM cannot be sampled
     * @throws IllegalStateException if there are 32 holders
     */
    public static SamplerHold share(String name) {
        return SAMPLER.share(name, null);
    }

    /**
     * Holds the process-wide sampler for a library or a tool, with options that count as in {@link
     * #start(SamplerOptions)}.
     *
     * @param name as in {@link #share(String)}
     * @param options interval and limits
     * @return a hold, to be closed
     * @throws IllegalArgumentException if the name is not allowed, or as {@link
     *     #start(SamplerOptions)} does
     * @throws HeapSamplingUnavailableException if this JVM cannot be sampled
     * @throws IllegalStateException as {@link #start(SamplerOptions)} does
     */
    public static SamplerHold share(String name, SamplerOptions options) {
        return SAMPLER.share(name, Objects.requireNonNull(options, "options"));
    }

    /**
     * Changes the interval, now if running, else for the next start. If running, it becomes the
     * interval of every holder. The state does not change. Samples taken before keep their weights.
     *
     * @param bytes mean bytes between two samples of a thread: from 0, for every allocation, to
     *     {@link Integer#MAX_VALUE}
     * @throws IllegalArgumentException if the number is out of range
     * @throws IllegalStateException if the strategy counts allocations, where an interval has no
     *     meaning
     * @throws HeapSamplingUnavailableException if native memory is lacking, or the JVM is shutting
     *     down
     */
    public static void setInterval(long bytes) {
        SAMPLER.setInterval(bytes);
    }

    /**
     * Releases the application's hold; does nothing without one. If there is no other hold,
     * sampling stops, and the state is {@link SamplerState#STOPPED} afterwards. The samples are
     * kept, and their liveness is still tracked. Recordings continue. Works on a full heap.
     */
    public static void stop() {
        SAMPLER.stop();
    }

    /**
     * Forgets all samples of the process-wide sampler, for all its holders. The state does not
     * change. If it is stopped, its memory is freed, its limits can be set again, and the report on
     * out-of-memory ends.
     *
     * @throws HeapSamplingUnavailableException if it is running and native memory is lacking, or
     *     the JVM is shutting down
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
     * Forces a full collection, and finds out which references keep live objects alive. Sampling
     * goes on meanwhile; the application stops for the collection, and for a moment after it, see
     * {@link HeldByOptions#maxPause}. {@code HeapSampler.snapshot().heldBy(options)} does the same
     * without a collection.
     *
     * @param options which of the live objects, and what the search may cost
     * @return the holders; without any if no live object matches
     * @throws IllegalStateException if nothing was ever started, if no objects are tracked ({@link
     *     SamplerOptions.Builder#maxTracked maxTracked(0)}), or if another search is running and
     *     the options do not wait for it
     * @throws HeapSamplingUnavailableException if this JVM cannot be sampled, if native memory is
     *     lacking, or the JVM is shutting down
     */
    public static HeldBy heldBy(HeldByOptions options) {
        return SAMPLER.heldBy(Objects.requireNonNull(options, "options"));
    }

    /**
     * Opens a recording, which runs beside the process-wide sampler and is independent of its
     * state.
     *
     * @param options what it accepts
     * @return an open recording, to be closed
     * @throws HeapSamplingUnavailableException if this JVM cannot be sampled
     * @throws IllegalStateException if 64 recordings are open; or if the options set an interval
     *     while samples that are kept are chosen by another strategy than bytes
     */
    public static HeapRecording record(RecordingOptions options) {
        return SAMPLER.record(Objects.requireNonNull(options, "options"));
    }

    /**
     * {@return why this JVM cannot be sampled, after loading the library: the reason and a text;
     * null if the library is loaded} Another agent may still hold the sampling capability, which is
     * known only at {@link #start()}. A transient failure, such as a full temporary folder, is not
     * remembered, so the next call tries again.
     */
    public static @Nullable Unavailability unavailability() {
        try {
            NativeLibrary.ensureLoaded();
            return null;
        } catch (HeapSamplingUnavailableException e) {
            return new Unavailability(e);
        } catch (RuntimeException | LinkageError e) {
            return new Unavailability(
                    new HeapSamplingUnavailableException(
                            HeapSamplingUnavailableException.Reason.LIBRARY_NOT_LOADED,
                            "The library could not be loaded: " + e,
                            e));
        }
    }

    /**
     * {@return the state of the sampler and of its engine} Never waits for a change or a snapshot.
     * Loads the library only where an agent or another copy of this class runs the engine already;
     * then the first call waits until it is loaded. While another thread changes something or takes
     * a snapshot, gauges such as the number of tracked samples are those of before; counters, such
     * as that of the samples, are always current.
     */
    public static SamplerStatus status() {
        return SAMPLER.status();
    }
}
