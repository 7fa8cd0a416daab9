// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.SamplingStrategy;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.shared.ReportFile;
import java.lang.ref.WeakReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the facade needs of the native core. One implementation calls C, {@link NativeEngine}; tests
 * have another.
 *
 * <p>Every method but {@link #inside}, {@link #inForce}, {@link #reportFile}, {@link #memoryGroup}
 * and {@link #prime} throws {@link io.heapsampler.HeapSamplingUnavailableException} or {@link
 * IllegalStateException} when it is refused, and has then changed nothing. Throws {@link
 * OvertakenException} if another user of the engine changed its state first.
 */
public interface Engine {

    /** Loads the library, if that has not been done. */
    void prepare();

    /** Runs work of the facade, whose own allocations are not to be sampled. */
    <T extends @Nullable Object> T inside(Supplier<T> work);

    /**
     * Sets the limits, and by what samples are chosen; only while no recording is open.
     *
     * @return the number of these terms, in force until other terms are set
     */
    int configure(Limits limits, SamplingStrategy strategy);

    /**
     * Has the top live sites written to a file when the JVM runs out of memory. Overtaken if
     * another user of the engine has set or ended the file meanwhile, or has taken a hold.
     *
     * @param inForce the file in force; null for none
     * @param wanted the file that takes its place
     * @param maxHolds how many holds of the process-wide sampler there may be
     */
    void reportOnOom(@Nullable ReportFile inForce, ReportFile wanted, int maxHolds);

    /**
     * Ends the report in this file. Does nothing if another file is in force by now, if the
     * process-wide sampler has more holds than these, or if the JVM is shutting down.
     */
    void endReport(ReportFile file, int maxHolds);

    /**
     * Opens a recording under these terms, and starts sampling for it.
     *
     * @return a handle above 0
     */
    int open(
            int terms,
            int interval,
            long[] threadIds,
            String[] classNames,
            String[] packageNames,
            long durationNanos);

    /**
     * Takes a hold of the process-wide sampler, of which there is one in the process: it takes
     * samples under these terms while it is held.
     *
     * @param interval in bytes, if it takes no samples yet
     * @param wish the interval that this holder requests, {@link Limits#NO_WISH} for none; the
     *     smallest of all holders is in force
     * @param overhead the share of the processor time that this holder allows, in parts of {@link
     *     Limits#WHOLE_SHARE}, 0 for no wish; the smallest of all holders is in force
     * @param keeps whether the samples stay after the last hold
     * @return a number above 0
     */
    int hold(int terms, int interval, int wish, int overhead, boolean keeps, String name);

    /**
     * Gives a hold back, if the engine still has it and the JVM is not shutting down. Allocates
     * nothing, unless it fails.
     *
     * @param keepsSamples whether the samples stay after the last hold, even if this one was taken
     *     without keeping them
     * @return whether it was the last one and the samples are forgotten
     */
    boolean release(int hold, boolean keepsSamples);

    /**
     * Returns the state of the engine, without waiting for changes of it. Loads the library only
     * where an agent or another copy of these classes runs the engine already.
     */
    InForce inForce();

    /** Returns the file of {@link #reportOnOom}, or that of an agent; null for no report. */
    @Nullable ReportFile reportFile();

    /**
     * Accepts no more samples. Allocates nothing, unless it fails.
     *
     * @return false if the engine no longer has the recording
     */
    boolean pause(int handle);

    /** Changes the interval. */
    void setInterval(int handle, int interval);

    /** Forgets the samples. */
    void reset(int handle);

    /**
     * Ends a recording. Allocates nothing, unless it fails.
     *
     * @return false if the engine no longer has it
     */
    boolean close(int handle);

    /** A snapshot without a collection before it. */
    int AFTER_NONE = 0;

    /** A snapshot that forces a collection. */
    int AFTER_FORCED = -1;

    /** Returns the constant for the options. */
    static int after(SnapshotOptions options) {
        return options.forcesGc() ? AFTER_FORCED : AFTER_NONE;
    }

    /**
     * Prepares for a full collection that the caller is about to have the JVM make before a
     * snapshot of this recording.
     *
     * @return the number of that collection, or {@link #AFTER_FORCED}
     */
    int expectCollection(int handle);

    /**
     * Returns a snapshot block.
     *
     * @param after {@link #AFTER_NONE}, {@link #AFTER_FORCED}, or the number of an expected
     *     collection, of which the caller knows that it was a full one and has ended
     * @param pauseMicros the longest pause to find out how live objects are reachable; 0: not asked
     */
    byte[] snapshot(int handle, int after, long pauseMicros);

    /**
     * Finds out which references keep objects alive. Takes no turn of the engine: snapshots and
     * changes go on meanwhile.
     *
     * <p>The first four arrays have an element for each sample; the objects are known to the engine
     * by place, time and size together. One that is no longer there is reported as died.
     *
     * @param samples indexes in LIVE of the snapshot that the block refers to
     * @param places the places of these samples in the live table, as PLACES of that snapshot has
     *     them; −1 for none
     * @param allocatedMicros when they were allocated, in µs since 1970
     * @param sizes bytes
     * @param watched weak references whose referents are to be found as well; may be empty
     * @param limits in this order: longest pause (µs), time of the whole call (µs), native memory
     *     (bytes), allowed ways (sum of 2 to the power of the numbers in the block; 0: all)
     * @return the block, as {@code native/doc/holders.md} describes it; null while another question
     *     of this process is being answered
     */
    byte @Nullable [] heldBy(
            int[] samples,
            int[] places,
            long[] allocatedMicros,
            long[] sizes,
            WeakReference<?>[] watched,
            long[] limits);

    /**
     * Returns how many bytes the memory group of this process uses that is nearest to its limit,
     * and the limit: two numbers; null if no group has a limit, or it cannot be read. Waits for
     * nothing.
     */
    long @Nullable [] memoryGroup();

    /** Makes the interval in force hold for the calling thread at once. */
    void prime();
}
