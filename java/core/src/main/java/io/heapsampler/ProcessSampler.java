// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Engine;
import io.heapsampler.internal.InForce;
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
 * the same one. Here are one {@link ProcessState}, which {@link Turns} keeps together with the
 * lock, and the holds of this copy with their {@link OomReports}. {@link HoldPlan} computes the
 * terms of a new hold.
 *
 * <p>Each change is a method whose name ends in {@code Now}. It runs under the lock, starts from
 * the state that the engine has just reported, and publishes a new state when it has succeeded. A
 * failed change publishes nothing. What it has already changed in the engine is undone without
 * allocating first: the heap or the stack may be full. Ends allocate nothing either, see {@link
 * #end}.
 */
final class ProcessSampler {

    private final Engine engine;
    private final Turns turns;
    private final HolderSearch search;
    private final Recordings recordings;
    private final OomReports reports = new OomReports();
    private final NearLimits nearLimits = new NearLimits(this::watch);
    private final NearLimitWatch.LastReport lastNearLimit = new NearLimitWatch.LastReport();
    private final SamplerHold application = new SamplerHold(this, SamplerHold.APPLICATION, true);

    ProcessSampler(Engine engine) {
        this.engine = engine;
        this.turns = new Turns(engine);
        this.search = new HolderSearch(engine);
        this.recordings = new Recordings(engine, turns, search);
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
        end(application, true);
    }

    /** Releases the hold and keeps the samples. */
    void stop(SamplerHold hold) {
        end(hold, true);
    }

    void release(SamplerHold hold) {
        end(hold, false);
    }

    /**
     * Allocates nothing before the engine is called: the heap may be full. Afterwards the hold is
     * closed, even if its report cannot be ended. If the engine may still have it, it stays open,
     * so that it can be closed again.
     */
    private void end(SamplerHold hold, boolean keepsSamples) {
        synchronized (turns) {
            if (hold.isOpen()) {
                boolean isForgotten = engine.release(hold.id(), keepsSamples);
                hold.closed();
                reports.closed(hold, keepsSamples);
                nearLimits.end(hold);
                if (isForgotten || (hold.report() != null && !keepsSamples)) {
                    endReportNow(hold.report(), isForgotten);
                }
            }
        }
    }

    /** Ends the report that this copy needs no longer. Allocates only if there is one. */
    private void endReportNow(@Nullable ReportFile own, boolean isForgotten) {
        ReportFile file = engine.reportFile();
        if (isForgotten) {
            reports.reset();
            application.setNearLimit(null);
        }
        if (file != null && (isForgotten || (file.equals(own) && !reports.needs(file)))) {
            engine.endReport(file, reports.holds());
        }
    }

    private void take(SamplerHold hold, @Nullable SamplerOptions options) {
        engine.prepare();
        turns.inTurn(() -> takeNow(hold, options));
    }

    /** Sets the report file before sampling starts, and restores the old one if that fails. */
    private ProcessState takeNow(SamplerHold hold, @Nullable SamplerOptions options) {
        ReportFile before = engine.reportFile();
        ProcessState now = turns.state();
        if (now.isRunning()) {
            HoldPlan.requireFitting(now, hold, options, before, nearLimits.inForce());
        }
        ReportFile file = options == null ? null : options.reportFile();
        requireReports(hold, options, file != null ? file : before);
        if (file == null || file.equals(before)) {
            return holdNow(hold, options, file);
        }
        ReportFile.check("reportOnOom", Path.of(file.toString()));
        // A holder that has come since the state was read may rely on the file before.
        int holders = now.engine().holders().size();
        engine.reportOnOom(before, file, holders);
        try {
            return holdNow(hold, options, file);
        } catch (RuntimeException | Error e) {
            restoreReport(file, before, holders, e);
            throw e;
        }
    }

    /** Refuses a report near a limit that could not be written, or would replace the other one. */
    private void requireReports(
            SamplerHold hold, @Nullable SamplerOptions options, @Nullable ReportFile reportOnOom) {
        NearLimit own = options == null ? null : options.nearLimit();
        NearLimit wanted = own != null ? own : nearLimits.inForce();
        wanted = wanted != null ? wanted : hold.nearLimit();
        if (wanted != null) {
            wanted.requireOtherThan(reportOnOom);
        }
        if (own != null) {
            ReportFile.checkReplaceable(NearLimit.OPTION, own.path());
        }
    }

    /** Opens the hold unless it is open. */
    private ProcessState holdNow(
            SamplerHold hold, @Nullable SamplerOptions options, @Nullable ReportFile file) {
        ProcessState now = turns.state();
        if (!hold.isOpen() || !now.isRunning()) {
            return openNow(hold, options, file);
        }
        beginWatch(hold, options);
        if (file != null) {
            hold.setReport(file);
        }
        return now;
    }

    private ProcessState openNow(
            SamplerHold hold, @Nullable SamplerOptions options, @Nullable ReportFile file) {
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
            hold.opened(id, file);
            reports.opened(hold);
            ProcessState held =
                    now.with(hold == application ? now.last().with(plan) : now.last())
                            .seen(engine.inForce());
            if (plan.isFinerThan(now)) {
                engine.prime();
            }
            requireReport(file);
            beginWatch(hold, options);
            return turns.publish(held);
        } catch (RuntimeException | Error e) {
            hold.closed();
            nearLimits.end(hold);
            reports.removed(hold);
            undoHold(id, e);
            throw e;
        }
    }

    /** Watches the memory limits for a hold that requests it, or did when it was last open. */
    private void beginWatch(SamplerHold hold, @Nullable SamplerOptions options) {
        NearLimit own = options == null ? null : options.nearLimit();
        NearLimit wanted = own != null ? own : hold.nearLimit();
        if (wanted != null) {
            nearLimits.begin(hold, wanted);
        }
    }

    private NearLimitWatch watch(NearLimit wanted) {
        NearLimitReport report =
                new NearLimitReport(wanted, () -> status().tracked(), this::snapshot, Log::warn);
        return new NearLimitWatch(
                wanted, new ProcessMemory(engine), lastNearLimit, report, Log::warn);
    }

    /**
     * Sets the report again if another copy has just ended it. From now on that copy sees the new
     * holder and leaves the report alone.
     */
    private void requireReport(@Nullable ReportFile file) {
        if (file != null && !file.equals(engine.reportFile())) {
            engine.reportOnOom(null, file, InForce.MAX_HOLDERS);
        }
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

    HeldBy heldBy(HeldByOptions options) {
        return search.search(this::liveSnapshot, options);
    }

    SamplerStatus status() {
        return engine.inside(this::defaultStatus);
    }

    private ProcessState setIntervalNow(int interval) {
        ProcessState now = turns.state();
        if (LastUsed.countsAllocations(now.terms().gate())) {
            throw Refusals.interval(now.terms().gate(), "an interval in bytes has no meaning");
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
        if (!engine.close(now.handle())) {
            throw new OvertakenException("The samples were reset by another copy of HeapSampler.");
        }
        endReportNow(null, true);
        return now;
    }

    private HeapSnapshot defaultSnapshot(int after) {
        byte[] block = turns.locked(() -> defaultBlockNow(after));
        return block == null ? new HeapSnapshot(emptyData()) : HeapSnapshot.decode(block, search);
    }

    private HeapSnapshot liveSnapshot() {
        byte[] block = turns.locked(() -> defaultBlockNow(Engine.AFTER_FORCED));
        if (block == null) {
            engine.prepare(); // says why this JVM cannot be sampled, if it cannot
            throw Refusals.nothingSampled();
        }
        return HeapSnapshot.decode(block, search);
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
            engine.release(id, false);
        } catch (RuntimeException | Error later) {
            failure.addSuppressed(later);
        }
    }

    /** Leaves the report to a holder that has come since the state was read. */
    private void restoreReport(
            ReportFile file, @Nullable ReportFile before, int holders, Throwable failure) {
        try {
            if (before == null) {
                engine.endReport(file, holders);
            } else {
                engine.reportOnOom(file, before, holders);
            }
        } catch (RuntimeException | Error later) {
            failure.addSuppressed(later);
        }
    }
}
