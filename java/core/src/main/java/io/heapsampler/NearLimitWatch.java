// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.limit.Crossing;
import io.heapsampler.internal.limit.MemoryUse;
import io.heapsampler.internal.shared.DaemonThreads;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks once a second how much of its memory limits the process uses, and has a report written when
 * it passes a share of one. A thread of its own does both, since a report takes seconds. A look
 * reads what the JVM has noted of its last collections and a few small files.
 *
 * <p>A report is due when a use passes the share, and again only after it has fallen below. There
 * is at most one report an hour; one that is due earlier follows after the hour, if the use is
 * still above. Nothing is thrown into the application. A full heap does not end the watch, since
 * waiting allocates nothing.
 */
final class NearLimitWatch implements Runnable {

    /** The least time between two reports. */
    static final long PAUSE_NANOS = TimeUnit.HOURS.toNanos(1);

    private static final long PERIOD_MILLIS = 1_000;

    /** The memory of the process, and the time. */
    interface Sources extends LongSupplier {

        /** Returns the heap after its last collections; null if it has no limit. */
        @Nullable MemoryUse heap(double share);

        /** Returns the fullest memory group of the process; null if none has a limit. */
        @Nullable MemoryUse group();

        /** Returns the time in nanoseconds, from any origin. */
        @Override
        long getAsLong();
    }

    /** Writes a report. */
    interface Report {

        /** Returns why there is no room for one in the heap; null if there is. */
        @Nullable String whyNot(@Nullable MemoryUse heap);

        /**
         * Writes it, which takes a while.
         *
         * @param passed the limit that is near
         * @param heap the heap; null if it has no limit
         * @param group the fullest memory group; null if there is none
         * @throws IOException if nothing could be written
         */
        void write(MemoryUse passed, @Nullable MemoryUse heap, @Nullable MemoryUse group)
                throws IOException;
    }

    /** When the last report was made, in any watch of this copy of the classes. */
    static final class LastReport {

        private long nanos;
        private boolean isMade;

        private synchronized boolean isLongAgo(long now) {
            return !isMade || now - nanos >= PAUSE_NANOS;
        }

        private synchronized void made(long now) {
            nanos = now;
            isMade = true;
        }
    }

    private final NearLimit wanted;
    private final Sources sources;
    private final LastReport last;
    private final Report report;
    private final Consumer<String> log;
    private final Crossing heapCrossing;
    private final Crossing groupCrossing;

    /** Guarded by this. */
    private boolean hasEnded;

    // Each kind of warning comes once until there is a report.
    private boolean hasWarnedOfLook;
    private boolean hasWarnedOfReport;

    NearLimitWatch(
            NearLimit wanted,
            Sources sources,
            LastReport last,
            Report report,
            Consumer<String> log) {
        this.wanted = wanted;
        this.sources = sources;
        this.last = last;
        this.report = report;
        this.log = log;
        this.heapCrossing = new Crossing(wanted.share());
        this.groupCrossing = new Crossing(wanted.share());
    }

    NearLimit wanted() {
        return wanted;
    }

    void start() {
        DaemonThreads.of(this, "heapsampler-near-limit").start();
    }

    /** Ends the watch without waiting for it. Allocates nothing. */
    synchronized void end() {
        hasEnded = true;
        notifyAll();
    }

    @Override
    public void run() {
        while (!endsWithin(PERIOD_MILLIS)) {
            look();
        }
    }

    /** Waits for the end, or until the time is over. Allocates nothing: see {@link #run}. */
    synchronized boolean endsWithin(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        long left = millis;
        while (!hasEnded && left > 0) {
            try {
                wait(left);
            } catch (InterruptedException e) {
                // Only end() ends it.
            }
            left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        }
        return hasEnded;
    }

    /** Looks once. */
    void look() {
        boolean hasBegun = false;
        try {
            MemoryUse heap = sources.heap(wanted.share());
            MemoryUse group = sources.group();
            boolean isHeapDue = heapCrossing.isDue(heap);
            boolean isGroupDue = groupCrossing.isDue(group);
            MemoryUse passed = isHeapDue ? heap : isGroupDue ? group : null;
            if (passed == null || !last.isLongAgo(sources.getAsLong())) {
                return;
            }
            String why = report.whyNot(heap);
            if (why != null) {
                warnOnce(why, false);
                return;
            }
            hasBegun = true;
            last.made(sources.getAsLong());
            report.write(passed, heap, group);
            reported(isHeapDue, isGroupDue);
        } catch (Exception | Error e) { // Memory is short, perhaps.
            warnOnce(e, hasBegun);
        }
    }

    private void reported(boolean isHeapDue, boolean isGroupDue) {
        hasWarnedOfLook = false;
        hasWarnedOfReport = false;
        if (isHeapDue) {
            heapCrossing.reported();
        }
        if (isGroupDue) {
            groupCrossing.reported();
        }
    }

    /** Throws nothing, though even the text may find no memory. */
    private void warnOnce(Object why, boolean hasBegun) {
        if (hasBegun ? hasWarnedOfReport : hasWarnedOfLook) {
            return;
        }
        hasWarnedOfReport |= hasBegun;
        hasWarnedOfLook |= !hasBegun;
        try {
            String cause = why.toString();
            log.accept(
                    "No report near the memory limit could be written to "
                            + wanted.path()
                            + ": "
                            + cause
                            + (cause.endsWith(".") ? "" : ".")
                            + " It is tried again "
                            + (hasBegun
                                    ? "after an hour, if memory is still short."
                                    : "each second."));
        } catch (RuntimeException | Error e) {
            // There is no memory even for that.
        }
    }
}
