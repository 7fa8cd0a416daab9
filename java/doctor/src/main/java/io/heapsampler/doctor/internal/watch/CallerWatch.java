// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.doctor.internal.watch;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.JvmSettings;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.VmClock;
import org.jspecify.annotations.Nullable;

/**
 * Opens Flight Recorder briefly for the callers of {@code System.gc()}: it takes memory that the
 * process keeps, and its events go to all recordings. tests/doctor/sources.md has the reasons for
 * the limits. Safe for use by many threads.
 */
final class CallerWatch implements AutoCloseable {

    static final long OPEN_MILLIS = 30_000;
    static final long PAUSE_MILLIS = 3_600_000;

    /** This many calls within ten minutes open it; this many callers close it. */
    private static final int CALLS = 3;

    private static final long CALLS_MILLIS = 600_000;

    /** Not while more classes were loaded within 10 s, or with less room in metaspace. */
    private static final long CLASSES = 300;

    private static final long SHORT = 10_000;
    private static final long ROOM = 32 << 20;

    /** Memory beside heap, metaspace and code may grow by this while it is open. */
    private static final long GROWTH = 24 << 20;

    /** Its Java objects may touch this much of the heap for the first time. */
    private static final long TOUCHED = 40 << 20;

    private static final long NEVER = Long.MIN_VALUE / 2;

    private final History history;
    private final VmClock clock;
    private final JvmSettings settings;

    /**
     * Times of the last calls, latest first. Guarded by itself: notifications wait for no opening.
     */
    private final long[] calls = {NEVER, NEVER, NEVER};

    private volatile @Nullable Tick last;

    // Guarded by this.
    private @Nullable Tick first;
    private long growsUntil = NEVER;
    private long openedAt = NEVER;
    private long beside;
    private long most;
    private long mostUsed;
    private @Nullable RecorderEvents events;
    private @Nullable String problem;
    private boolean closed;

    CallerWatch(History history, VmClock clock, JvmSettings settings) {
        this.history = history;
        this.clock = clock;
        this.settings = settings;
    }

    /** Calls while direct memory is near its limit are taken for those of direct buffers. */
    void heard(GcEvent it) {
        Tick tick = last;
        boolean isDirect =
                tick != null && tick.directUsed() > RecorderWatch.NEAR * settings.maxDirect();
        if (Causes.isExplicit(it.cause()) && it.kind() != CollectionKind.PHASE_PAUSE && !isDirect) {
            synchronized (calls) {
                System.arraycopy(calls, 0, calls, 1, CALLS - 1);
                calls[0] = it.atMillis();
            }
        }
    }

    synchronized void seen(Tick tick) {
        last = tick;
        mostUsed = Math.max(mostUsed, tick.heapUsed());
        Tick base = first;
        if (events != null) {
            first = tick; // Its own classes do not count.
        } else if (base == null || tick.atMillis() - base.atMillis() >= SHORT) {
            first = tick;
        } else if (tick.classesLoaded() - base.classesLoaded() > CLASSES) {
            growsUntil = tick.atMillis() + SHORT;
            first = tick;
        }
    }

    synchronized void look(long nowMillis) {
        Tick tick = last;
        if (tick == null || closed) {
            return;
        }
        boolean isCalm =
                settings.maxMetaspace() - tick.metaspaceCommitted() >= ROOM
                        && nowMillis >= growsUntil;
        // A lower bound of the memory that is neither heap nor other pools of the JVM.
        long now = tick.resident() - Math.max(tick.residentFile(), 0) - tick.accounted();
        if (events == null) {
            if (isCalm && problem == null && isWanted(nowMillis)) {
                if (tick.resident() < 0) {
                    problem =
                            "the memory of the process is not known, so that nothing can bound it";
                    return;
                }
                openedAt = nowMillis;
                long untouched = Math.max(tick.heapCommitted() - mostUsed, 0);
                most = now + GROWTH + Math.min(untouched, TOUCHED);
                beside = now;
                open();
            }
            return;
        }
        Throwable failure = events.failure();
        if (failure != null) {
            problem = Text.reason(failure);
        } else if (now > most) {
            problem = Text.of("the process grew by {} while it was open", Text.bytes(now - beside));
        }
        boolean isEnough = events.callers() >= CALLS || nowMillis - openedAt >= OPEN_MILLIS;
        if (!isCalm || problem != null || isEnough) {
            shut();
        }
    }

    private boolean isWanted(long nowMillis) {
        synchronized (calls) {
            if (nowMillis - calls[CALLS - 1] >= CALLS_MILLIS) {
                return false;
            }
        }
        return nowMillis - openedAt >= PAUSE_MILLIS && !RmiDaemon.exists();
    }

    private void open() {
        try {
            if (ModuleLayer.boot().findModule("jdk.jfr").isPresent()) {
                events = new RecorderEvents(history, clock);
            } else {
                problem = "there is no module jdk.jfr";
            }
        } catch (RuntimeException | LinkageError | VirtualMachineError e) {
            problem = Text.reason(e);
        }
    }

    synchronized boolean isOpen() {
        return events != null;
    }

    synchronized @Nullable String problem() {
        return problem;
    }

    private void shut() {
        RecorderEvents open = events;
        events = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        shut();
    }
}
