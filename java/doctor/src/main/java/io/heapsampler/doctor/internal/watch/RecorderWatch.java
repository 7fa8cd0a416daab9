// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.GarbageCollector;
import io.heapsampler.doctor.internal.rules.Slo;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.JvmSettings;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.VmClock;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Flight Recorder, while there are signs of a problem. To open it for the first time takes a
 * quarter to half a second of a processor, as much again in the seconds after it, 800 to 900
 * classes in 3 to 5 MiB of metaspace, and a total of 7 to 27 MiB of memory, most of which stays
 * when it is closed. So it is opened if notifications or ticks show signs of a problem, and closed
 * five minutes after the last sign. If it cannot start, {@link #problem()} returns the reason, and
 * the rest of the doctor works without it. Safe for use by many threads.
 */
public final class RecorderWatch implements AutoCloseable {

    static final long OPEN_MILLIS = 300_000;

    /** The share of the limit of direct memory from which on it gets interesting. */
    private static final double NEAR = 0.5;

    /** Where metaspace has no more room than this, nothing may be loaded. */
    private static final long ROOM = 32 << 20;

    /** Collections for metaspace while an application starts. */
    private static final int USUAL = 2;

    private final History history;
    private final VmClock clock;
    private final JvmSettings settings;
    private final double longPauseMillis;
    private final AtomicInteger ofMetaspace = new AtomicInteger();

    private volatile long wantedUntil = Long.MIN_VALUE;
    private volatile boolean isTight;

    /** Used by the watching thread only. */
    private long mostDirect;

    private @Nullable RecorderEvents events;
    private @Nullable String problem;
    private boolean closed;

    /**
     * Watches nothing yet.
     *
     * @param history where events go
     * @param clock dates the events
     * @param settings of this JVM
     * @param slo half of its longest pause is worth a question
     */
    public RecorderWatch(History history, VmClock clock, JvmSettings settings, Slo slo) {
        this.history = history;
        this.clock = clock;
        this.settings = settings;
        this.longPauseMillis = slo.pauseMaxMillis() / 2;
    }

    /** Takes note of a collection. */
    public void heard(GcEvent collection) {
        boolean isOfMetaspace = Causes.isMetadata(collection.cause());
        if (isOfInterest(collection) || (isOfMetaspace && ofMetaspace.incrementAndGet() > USUAL)) {
            want(collection.atMillis());
        }
    }

    /** A long collection is reported after others that began later. */
    private void want(long atMillis) {
        wantedUntil = Math.max(wantedUntil, atMillis + OPEN_MILLIS);
    }

    /** Collections requested by tools, such as for a heap dump, are no sign. */
    private boolean isOfInterest(GcEvent it) {
        if (Causes.isTool(it.cause())) {
            return false;
        }
        return switch (it.kind()) {
            case FULL_PAUSE, DEGENERATED_PAUSE -> true;
            default ->
                    Causes.isExplicit(it.cause())
                            || Causes.isStall(it.cause())
                            || it.cause().equals("GCLocker Initiated GC")
                            || (it.kind().isPause() && it.durationMillis() > longPauseMillis);
        };
    }

    /**
     * Takes note of a tick. Direct memory that is a good part of its limit and still grows counts.
     */
    public void seen(Tick tick) {
        if (tick.directUsed() > mostDirect) {
            mostDirect = tick.directUsed();
            if (mostDirect > NEAR * settings.maxDirect()) {
                want(tick.atMillis());
            }
        }
        isTight = settings.maxMetaspace() - tick.metaspaceCommitted() < ROOM;
    }

    /**
     * Opens or closes it, if that is called for, by {@link VmClock#now()}. Not while metaspace is
     * nearly full: Flight Recorder would be left half loaded, for the application too.
     */
    public synchronized void look(long nowMillis) {
        boolean wanted = nowMillis < wantedUntil;
        if (wanted && events == null && problem == null && !closed && !isTight) {
            open();
        } else if ((!wanted || isTight) && events != null) {
            events.close();
            events = null;
        }
    }

    private void open() {
        if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
            problem = "there is no module jdk.jfr";
            return;
        }
        try {
            events = RecorderEvents.listening(history, clock, isZ(), this::failed);
            problem = events == null ? "this JVM has none" : null;
        } catch (RuntimeException | LinkageError | VirtualMachineError e) {
            problem = Text.reason(e);
        }
    }

    private void failed(Throwable e) {
        RecorderEvents failed;
        synchronized (this) {
            problem = Text.reason(e);
            failed = events;
            events = null;
        }
        if (failed != null) {
            failed.close();
        }
    }

    private boolean isZ() {
        return settings.collector() == GarbageCollector.Z
                || settings.collector() == GarbageCollector.Z_GENERATIONAL;
    }

    /** Returns whether it is open. */
    synchronized boolean isOpen() {
        return events != null;
    }

    /** Returns why it could not be opened; null if it could, or was not needed. */
    public synchronized @Nullable String problem() {
        return problem;
    }

    @Override
    public void close() {
        RecorderEvents open;
        synchronized (this) {
            closed = true;
            open = events;
            events = null;
        }
        if (open != null) {
            open.close();
        }
    }
}
