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
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state machine behind {@link HeapSampler} and {@link HeapRecording}. To the engine the
 * process-wide sampler is a recording that several owners can hold, see {@link SamplerHold}.
 *
 * <p>The engine knows what is so; an agent, and copies of these classes in other class loaders, use
 * the same one. Here is only what the next start needs. One lock guards it; it is held during calls
 * of the engine, but not while a snapshot is decoded, and {@link #status()} takes none.
 */
final class ProcessSampler {

    /** How often work is tried while others keep changing what the engine does. */
    private static final int TRIES = 3;

    /**
     * A monitor, which the JVM itself gives back when the stack overflows at any place. A lock of
     * java.util.concurrent stayed locked for ever when that happened between its lock() and the
     * try. On JDK 21 to 23 a virtual thread that waits for it keeps its carrier meanwhile.
     */
    private final Object lock = new Object();

    private final Engine engine;
    private final OomReport report;
    private final SamplerHold application = new SamplerHold(this, SamplerHold.APPLICATION, true);

    /** The state of the engine when the lock was taken. Guarded by the lock. */
    private InForce now = InForce.NOTHING;

    /** Written under the lock. */
    private volatile LastUsed last = LastUsed.NOTHING;

    ProcessSampler(Engine engine) {
        this.engine = engine;
        this.report = new OomReport(engine);
    }

    /** Starts with the options, or with what was last in use if they are null. */
    void start(@Nullable SamplerOptions options) {
        take(application, options);
    }

    SamplerHold share(String name, @Nullable SamplerOptions options) {
        SamplerHold hold = new SamplerHold(this, SamplerHold.checkName(name), false);
        take(hold, options);
        return hold;
    }

    private void take(SamplerHold hold, @Nullable SamplerOptions options) {
        engine.prepare();
        exclusively(
                () -> {
                    boolean isHeld = hold.isOpen() && now.isRunning();
                    String before = engine.reportFile();
                    if (now.isRunning()) {
                        requireFitting(hold, options, before);
                    }
                    Runnable opening = isHeld ? () -> {} : () -> open(hold, options);
                    report.during(
                            hold, options == null ? null : options.reportOnOom(), before, opening);
                });
    }

    private void open(SamplerHold hold, @Nullable SamplerOptions options) {
        SamplingStrategy gate = gateFor(options);
        int needed = last.interval();
        int wish = now.isRunning() ? Limits.NO_WISH : Limits.wish(needed);
        if (options != null && options.hasInterval()) {
            needed = (int) options.interval();
            wish = Limits.wish(needed);
        }
        if (LastUsed.countsAllocations(gate)) {
            needed = 0;
            wish = 0;
        }
        int overhead = overheadFor(options);
        Limits limits = limitsFor(options);
        requireTerms(limits, gate);
        requireRoom();
        LastUsed before = last;
        boolean isFiner = !now.isRunning() || wish < now.interval();
        IntConsumer undo = engine::release;
        int terms = terms(limits, gate);
        int id = engine.hold(terms, needed, wish, overhead, hold.keepsSamples(), hold.name());
        try {
            if (hold == application && overhead != 0) {
                last = last.withOverhead(overhead);
            }
            opened(hold, id, isFiner);
        } catch (RuntimeException | Error e) {
            Endings.afterFailure(e, undo, id);
            hold.closed();
            report.closed(hold, null);
            last = before;
            throw e;
        }
    }

    /** Allocates, so it may fail. */
    private void opened(SamplerHold hold, int id, boolean isFiner) {
        hold.opened(id);
        report.opened(hold);
        look();
        if (isFiner) {
            engine.prime();
        }
    }

    private void requireRoom() {
        if (now.holders().size() >= InForce.MAX_HOLDERS) {
            throw Refusals.tooManyHolders(now.holders());
        }
    }

    /** What is not said stays as it is, while there are samples. */
    private Limits limitsFor(@Nullable SamplerOptions options) {
        if (options == null) {
            return last.limits();
        }
        return now.recordings() > 0 ? options.limitsOr(last.limits()) : options.limits();
    }

    /** Returns the budget that a hold asks for; 0 for none. */
    private int overheadFor(@Nullable SamplerOptions options) {
        if (options != null && options.overhead() != 0) {
            return options.overhead();
        }
        return now.isRunning() ? 0 : last.overhead();
    }

    private @Nullable SamplingStrategy gateFor(@Nullable SamplerOptions options) {
        if (options == null || (now.recordings() > 0 && !options.hasStrategy())) {
            return last.gate();
        }
        return options.gate();
    }

    /**
     * Refuses options that differ from those in force. A smaller interval than the one asked for
     * gives more samples, so it is no obstacle, and neither is a greater one to another holder.
     */
    private void requireFitting(
            SamplerHold hold, @Nullable SamplerOptions options, @Nullable String reportOnOom) {
        if (options == null) {
            return;
        }
        boolean isFine =
                !hold.isOpen()
                        || ((!options.hasInterval() || now.interval() <= options.interval())
                                && (options.overhead() == 0
                                        || now.maxOverhead() <= options.overhead()));
        Path file = options.reportOnOom();
        boolean isFree = file == null || reportOnOom == null || file.toString().equals(reportOnOom);
        boolean isSame =
                Objects.equals(gateFor(options), last.gate())
                        && limitsFor(options).equals(last.limits());
        if (!isFine || !isFree || !isSame) {
            throw Refusals.otherOptions(hold, last, now.holders(), reportOnOom, options);
        }
    }

    private void requireTerms(Limits wanted, @Nullable SamplingStrategy wantedGate) {
        boolean sameGate = Objects.equals(wantedGate, last.gate());
        if (now.recordings() == 0 || (wanted.equals(last.limits()) && sameGate)) {
            return;
        }
        int others = now.recordings() - (now.handle() == 0 ? 0 : 1);
        String change =
                sameGate
                        ? "The limits cannot change from " + last.limits() + " to " + wanted
                        : Refusals.strategyChange(last.gate(), wantedGate);
        throw Refusals.whileSamplesAreKept(change, now.handle() != 0, others);
    }

    /** Returns the number of these terms, which are set unless they are in force. */
    private int terms(Limits wanted, @Nullable SamplingStrategy gate) {
        return now.recordings() > 0
                ? now.terms()
                : engine.configure(wanted, gate == null ? SamplingStrategy.bytes(0) : gate);
    }

    void setInterval(long bytes) {
        int wanted = Limits.checkInterval(bytes);
        exclusively(
                () -> {
                    if (LastUsed.countsAllocations(last.gate())) {
                        throw Refusals.interval(last.gate(), "an interval in bytes has no meaning");
                    }
                    if (now.handle() != 0) {
                        engine.setInterval(now.handle(), Limits.wish(wanted));
                    }
                    boolean isFiner = wanted < last.interval();
                    last = last.withInterval(wanted);
                    if (isFiner && now.isRunning()) {
                        engine.prime();
                    }
                });
    }

    void stop() {
        release(application);
    }

    void release(SamplerHold hold) {
        exclusively(() -> releaseNow(hold));
    }

    private void releaseNow(SamplerHold hold) {
        if (hold.isOpen()) {
            Endings.unlessShuttingDown(() -> give(hold));
        }
    }

    /** The engine keeps the samples after a holder that wants it: for a moment there is one. */
    void stop(SamplerHold hold) {
        exclusively(
                () -> {
                    if (hold.isOpen()) {
                        SamplerHold keeping = new SamplerHold(this, hold.name(), true);
                        open(keeping, null);
                        try {
                            releaseNow(hold);
                        } finally {
                            releaseNow(keeping);
                        }
                    }
                });
    }

    /** Whatever happens to the report, the hold is closed when the engine has it no longer. */
    private void give(SamplerHold hold) {
        String file = engine.reportFile();
        boolean isOver = false;
        boolean isUnneeded;
        try {
            isOver = engine.release(hold.id());
        } catch (OvertakenException e) {
            Log.debug("the engine has this hold no longer", e);
        } finally {
            hold.closed();
            isUnneeded = report.closed(hold, file);
        }
        look();
        if (isOver || (isUnneeded && report.knows(now.holders().size()))) {
            report.forget(file);
        }
    }

    void reset() {
        exclusively(
                () -> {
                    if (now.isRunning()) {
                        engine.reset(now.handle());
                    } else if (now.handle() != 0) {
                        String file = engine.reportFile();
                        Endings.unlessShuttingDown(() -> engine.close(now.handle()));
                        Endings.unlessShuttingDown(() -> report.forget(file));
                    }
                });
    }

    HeapSnapshot snapshot(SnapshotOptions options) {
        int after = Engine.after(options);
        Supplier<byte @Nullable []> work =
                () -> now.handle() == 0 ? null : engine.snapshot(now.handle(), after, 0);
        return engine.inside(
                () -> {
                    byte[] block = locked(work);
                    return block == null ? new HeapSnapshot(empty()) : HeapSnapshot.decode(block);
                });
    }

    private SnapshotData empty() {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        int collector = VmInfo.collector().ordinal();
        return SnapshotData.empty(micros, last.interval(), collector, VmInfo.feature());
    }

    HeapRecording record(RecordingOptions options) {
        engine.prepare();
        long[] threads = options.threadIds().stream().mapToLong(Long::longValue).toArray();
        String[] classes = options.classNames().toArray(String[]::new);
        String[] packages = options.packageNames().toArray(String[]::new);
        return engine.inside(() -> locked(() -> open(options, threads, classes, packages)));
    }

    /** A caller that runs out of memory or stack here gets no recording that it could close. */
    private HeapRecording open(
            RecordingOptions options, long[] threads, String[] classes, String[] packages) {
        SamplingStrategy shared = now.recordings() == 0 ? null : last.gate();
        if (shared != null && options.hasInterval()) {
            throw Refusals.interval(shared, "a recording cannot have an interval of its own");
        }
        int wanted = shared == null ? (int) options.interval() : last.neededInterval();
        IntConsumer closing = engine::close;
        int handle =
                engine.open(
                        terms(last.limits(), shared),
                        wanted,
                        threads,
                        classes,
                        packages,
                        options.durationNanos());
        try {
            primeFor(options);
            return new HeapRecording(
                    this, handle, shared == null ? options : options.sharing(wanted));
        } catch (RuntimeException | Error e) {
            Endings.afterFailure(e, closing, handle);
            throw e;
        }
    }

    private void primeFor(RecordingOptions options) {
        if (options.accepts(Thread.currentThread())) {
            engine.prime();
        }
    }

    int expectCollection(HeapRecording recording) {
        return engine.inside(() -> locked(() -> engine.expectCollection(recording.handle())));
    }

    HeapSnapshot snapshot(HeapRecording recording, int after, long pauseMicros) {
        Supplier<byte[]> work = () -> engine.snapshot(recording.handle(), after, pauseMicros);
        return engine.inside(() -> HeapSnapshot.decode(locked(work)));
    }

    void setInterval(HeapRecording recording, long bytes) {
        int wanted = Limits.checkInterval(bytes);
        exclusively(
                () -> {
                    int handle = recording.handle();
                    if (last.gate() != null) {
                        throw Refusals.interval(
                                last.gate(), "a recording cannot have an interval of its own");
                    }
                    engine.setInterval(handle, wanted);
                    primeFor(recording.options());
                });
    }

    void stop(HeapRecording recording) {
        exclusively(
                () -> {
                    int handle = recording.handle();
                    Endings.unlessShuttingDown(() -> engine.pause(handle));
                });
    }

    void close(HeapRecording recording) {
        exclusively(
                () -> {
                    if (recording.isOpen()) {
                        int handle = recording.handle();
                        Endings.unlessShuttingDown(() -> engine.close(handle));
                        recording.markClosed();
                    }
                });
    }

    /** Takes no lock: another thread may hold it for a whole forced collection. */
    SamplerStatus status() {
        return engine.inside(
                () -> {
                    InForce seen = engine.inForce();
                    return new SamplerStatus(seen, last.seen(seen));
                });
    }

    private void exclusively(Runnable work) {
        engine.inside(
                () ->
                        locked(
                                () -> {
                                    work.run();
                                    return null;
                                }));
    }

    private void look() {
        now = engine.inForce();
        last = last.seen(now);
    }

    /** Work that was overtaken has done nothing, and is done again from what is so now. */
    private <T extends @Nullable Object> T locked(Supplier<T> work) {
        synchronized (lock) {
            for (int left = TRIES - 1; ; left--) {
                look();
                try {
                    return work.get();
                } catch (OvertakenException e) {
                    if (left == 0) {
                        throw e;
                    }
                }
            }
        }
    }
}
