// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static io.heapsampler.OomReports.NO_FILE;

import io.heapsampler.internal.Engine;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.Log;
import io.heapsampler.internal.OvertakenException;
import io.heapsampler.internal.SnapshotData;
import io.heapsampler.internal.VmInfo;
import io.heapsampler.internal.shared.ReportFile;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The state machine behind {@link HeapSampler} and {@link SamplerHold}. To the engine, the
 * process-wide sampler is one recording that several owners can hold.
 *
 * <p>The engine owns the truth; an agent, and copies of these classes in other class loaders, use
 * the same one. The only state here is one {@link ProcessState}, which {@link Turns} keeps together
 * with the lock. {@link HoldPlan} and {@link OomReports} compute what follows from it and never
 * call the engine.
 *
 * <p>Each change is a method whose name ends in {@code Now}. It runs under the lock, starts from
 * the state that the engine has just reported, and publishes a new state when it has succeeded. A
 * failed change publishes nothing. What it has already changed in the engine is undone without
 * allocating first: the heap or the stack may be full.
 */
final class ProcessSampler {

    private final Engine engine;
    private final Turns turns;
    private final Recordings recordings;
    private final SamplerHold application = new SamplerHold(this, SamplerHold.APPLICATION, true);

    ProcessSampler(Engine engine) {
        this.engine = engine;
        this.turns = new Turns(engine);
        this.recordings = new Recordings(engine, turns);
    }

    // ---- Holds: start, share, stop, release ----

    /** Starts with the options, or with the terms last in use if they are null. */
    void start(@Nullable SamplerOptions options) {
        take(application, options);
    }

    SamplerHold share(String name, @Nullable SamplerOptions options) {
        SamplerHold hold = new SamplerHold(this, SamplerHold.checkName(name), false);
        take(hold, options);
        return hold;
    }

    void stop() {
        release(application);
    }

    void release(SamplerHold hold) {
        turns.inTurn(() -> releaseNow(hold));
    }

    /** Releases the hold and keeps the samples. */
    void stop(SamplerHold hold) {
        turns.inTurn(() -> stopNow(hold));
    }

    private void take(SamplerHold hold, @Nullable SamplerOptions options) {
        engine.prepare();
        turns.inTurn(() -> takeNow(hold, options));
    }

    /** Sets the report file before sampling starts, and restores the old one if that fails. */
    private ProcessState takeNow(SamplerHold hold, @Nullable SamplerOptions options) {
        String before = engine.reportFile();
        ProcessState now = turns.state();
        if (now.isRunning()) {
            HoldPlan.requireFitting(now, hold, options, before);
        }
        Path file = options == null ? null : options.reportOnOom();
        if (file == null || file.toString().equals(before)) {
            return holdNow(hold, options);
        }
        engine.reportOnOom(ReportFile.check(file));
        try {
            return holdNow(hold, options);
        } catch (RuntimeException | Error e) {
            restoreReport(before, e);
            throw e;
        }
    }

    /** Opens the hold unless it is open. */
    private ProcessState holdNow(SamplerHold hold, @Nullable SamplerOptions options) {
        ProcessState now = turns.state();
        Path file = options == null ? null : options.reportOnOom();
        if (!hold.isOpen() || !now.isRunning()) {
            return openNow(hold, options, file == null ? NO_FILE : file.toString());
        }
        return file == null
                ? now
                : turns.publish(now.with(now.reports().with(hold, file.toString())));
    }

    private ProcessState openNow(
            SamplerHold hold, @Nullable SamplerOptions options, String reportFile) {
        ProcessState now = turns.state();
        HoldPlan plan = HoldPlan.of(now, options);
        int terms = turns.agreeOn(plan.limits(), plan.gate());
        int id =
                engine.hold(
                        terms,
                        plan.interval(),
                        plan.wish(),
                        plan.overhead(),
                        hold.keepsSamples(),
                        hold.name());
        try {
            hold.opened(id);
            ProcessState held =
                    now.with(hold == application ? now.last().with(plan) : now.last())
                            .with(now.reports().with(hold, reportFile))
                            .seen(engine.inForce());
            if (plan.isFinerThan(now)) {
                engine.prime();
            }
            return turns.publish(held);
        } catch (RuntimeException | Error e) {
            hold.closed();
            undoHold(id, e);
            throw e;
        }
    }

    /**
     * The hold is closed even if its report cannot be ended, or the engine has lost it. If the
     * engine may still have it, it stays open, so that it can be closed again.
     */
    private ProcessState releaseNow(SamplerHold hold) {
        ProcessState now = turns.state();
        if (!hold.isOpen()) {
            return now;
        }
        String file = engine.reportFile();
        boolean isUnneeded = now.reports().endWith(hold, file);
        ProcessState left = now.with(now.reports().without(hold));
        boolean isOver = false;
        try {
            isOver = engine.release(hold.id());
        } catch (OvertakenException e) {
            Log.debug("the engine has this hold no longer", e);
        } catch (HeapSamplingUnavailableException e) {
            Endings.ignoreShutdown(e);
        }
        hold.closed();
        turns.publish(left);
        ProcessState after = turns.readEngine();
        boolean isLast = after.reports().coverAll(after.engine().holders().size());
        return isOver || (isUnneeded && isLast) ? endReportNow(file) : after;
    }

    /** The engine keeps the samples after a hold that keeps them: one is open for a moment. */
    private ProcessState stopNow(SamplerHold hold) {
        if (hold.isOpen()) {
            ProcessState before = turns.state();
            SamplerHold keeping = new SamplerHold(this, hold.name(), true);
            openNow(keeping, null, NO_FILE);
            try {
                releaseNow(hold);
                releaseNow(keeping);
            } catch (RuntimeException | Error e) {
                if (keeping.isOpen()) { // and the caller could not close it
                    undoHold(keeping.id(), e);
                    keeping.closed();
                    turns.publish(
                            hold.isOpen() ? before : before.with(before.reports().without(hold)));
                }
                throw e;
            }
        }
        return turns.state();
    }

    /** Ends the report on out-of-memory, unless another copy has set another file meanwhile. */
    private ProcessState endReportNow(@Nullable String file) {
        ProcessState now = turns.state();
        if (file != null && file.equals(engine.reportFile())) {
            try {
                engine.reportOnOom(null);
            } catch (HeapSamplingUnavailableException e) {
                Endings.ignoreShutdown(e);
            }
        }
        return turns.publish(now.with(now.reports().withoutKept()));
    }

    // ---- The default recording: interval, reset, snapshot, status ----

    void setInterval(long bytes) {
        int interval = Limits.checkInterval(bytes);
        turns.inTurn(() -> setIntervalNow(interval));
    }

    void reset() {
        turns.inTurn(this::resetNow);
    }

    HeapSnapshot snapshot(SnapshotOptions options) {
        int after = Engine.after(options);
        return engine.inside(() -> defaultSnapshot(after));
    }

    SamplerStatus status() {
        return engine.inside(this::defaultStatus);
    }

    private ProcessState setIntervalNow(int interval) {
        ProcessState now = turns.state();
        if (LastUsed.countsAllocations(now.last().gate())) {
            throw Refusals.interval(now.last().gate(), "an interval in bytes has no meaning");
        }
        ProcessState changed = now.with(now.last().withInterval(interval));
        if (now.handle() != 0) {
            engine.setInterval(now.handle(), Limits.wish(interval));
        }
        turns.publish(changed);
        if (now.isRunning() && interval < now.last().interval()) {
            engine.prime();
        }
        return changed;
    }

    private ProcessState resetNow() {
        ProcessState now = turns.state();
        if (now.isRunning()) {
            engine.reset(now.handle());
            return now;
        }
        if (now.handle() == 0) {
            return now;
        }
        String file = engine.reportFile();
        Endings.close(engine, now.handle());
        return endReportNow(file);
    }

    private HeapSnapshot defaultSnapshot(int after) {
        byte[] block = turns.locked(() -> defaultBlockNow(after));
        return block == null ? new HeapSnapshot(emptyData()) : HeapSnapshot.decode(block);
    }

    private byte @Nullable [] defaultBlockNow(int after) {
        int handle = turns.state().handle();
        return handle == 0 ? null : engine.snapshot(handle, after, 0);
    }

    private SnapshotData emptyData() {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        int collector = VmInfo.collector().ordinal();
        return SnapshotData.empty(
                micros, turns.state().last().interval(), collector, VmInfo.feature());
    }

    /** Takes no lock: another thread may hold it for a whole forced collection. */
    private SamplerStatus defaultStatus() {
        ProcessState seen = turns.state().seen(engine.inForce());
        return new SamplerStatus(seen.engine(), seen.last());
    }

    // ---- Other recordings ----

    HeapRecording record(RecordingOptions options) {
        return recordings.open(options);
    }

    // ---- Undoing ----

    private void undoHold(int id, Throwable failure) {
        try {
            engine.release(id);
        } catch (RuntimeException | Error later) {
            failure.addSuppressed(later);
        }
    }

    private void restoreReport(@Nullable String file, Throwable failure) {
        try {
            engine.reportOnOom(file == null ? null : Path.of(file));
        } catch (RuntimeException | Error later) {
            failure.addSuppressed(later);
        }
    }
}
