// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Engine;
import io.heapsampler.internal.InForce;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.OvertakenException;
import io.heapsampler.internal.ReportFile;
import io.heapsampler.internal.SnapshotData;
import io.heapsampler.internal.VmInfo;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state machine behind {@link HeapSampler} and {@link HeapRecording}. To the engine the
 * process-wide sampler is a recording like any other, which is paused on stop and closed when it is
 * stopped and reset.
 *
 * <p>One lock guards all state; it is held during calls of the engine, but not while a snapshot is
 * decoded.
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

    /** What recordings use or used last; null before the first. */
    private @Nullable Limits limits;

    /** What chooses among the samples by bytes, now or last; null where nothing does. */
    private volatile @Nullable Strategy gate;

    private @Nullable Path reportOnOom;

    private int openRecordings;

    /** Number of the limits and the strategy in force. */
    private int terms;

    /** Of the process-wide sampler; 0 while it has no data. */
    private int ownHandle;

    /** Since when the process-wide sampler runs, in µs since 1970; 0 if it does not. */
    private long sinceMicros;

    private volatile int interval = Limits.DEFAULT_INTERVAL;
    private volatile SamplerState state = SamplerState.NEW;

    ProcessSampler(Engine engine) {
        this.engine = engine;
    }

    /** Starts with the options, or with what was last in use if they are null. */
    void start(@Nullable SamplerOptions options) {
        engine.prepare();
        exclusively(
                () -> {
                    if (state == SamplerState.RUNNING) {
                        requireSame(options);
                        return;
                    }
                    startStopped(options);
                    state = SamplerState.RUNNING;
                    engine.prime();
                });
    }

    private void startStopped(@Nullable SamplerOptions options) {
        Limits wantedLimits = limitsFor(options);
        Strategy wantedGate = gateFor(options);
        int wanted = interval;
        if (options != null && options.hasInterval() && !countsAllocations(wantedGate)) {
            wanted = (int) options.interval();
        }
        int needed = countsAllocations(wantedGate) ? 0 : wanted;
        requireTerms(wantedLimits, wantedGate);
        Path report = options == null ? null : options.reportOnOom();
        if (report != null && !report.equals(reportOnOom)) {
            ReportFile.check(report); // its folder may have gone since the options were made
        }
        if (ownHandle == 0) {
            IntConsumer closing = engine::close;
            IntUnaryOperator opening =
                    agreed -> reporting(report, engine.openOwn(agreed, needed), closing);
            ownHandle = open(wantedLimits, wantedGate, opening);
        } else {
            IntConsumer pausing = this::pauseAsItWas;
            engine.resume(ownHandle, needed);
            reporting(report, ownHandle, pausing);
        }
        interval = wanted;
    }

    /** With the interval that others who use the engine know. */
    private void pauseAsItWas(int handle) {
        engine.pause(handle);
        engine.setInterval(handle, neededInterval());
    }

    /** Last of all, so that no report is due where sampling is refused; or sampling ends again. */
    private int reporting(@Nullable Path file, int handle, IntConsumer ending) {
        try {
            if (file != null) {
                reportTo(file);
            }
            return handle;
        } catch (RuntimeException | Error e) {
            Endings.afterFailure(e, ending, handle);
            throw e;
        }
    }

    /** What is not said stays as it is, while there are samples. */
    private Limits limitsFor(@Nullable SamplerOptions options) {
        if (options == null) {
            return limitsOrDefault();
        }
        return openRecordings > 0 && limits != null ? options.limitsOr(limits) : options.limits();
    }

    private @Nullable Strategy gateFor(@Nullable SamplerOptions options) {
        if (options == null || (openRecordings > 0 && !options.hasStrategy())) {
            return gate;
        }
        return options.gate();
    }

    private void reportTo(@Nullable Path file) {
        if (!Objects.equals(file, reportOnOom)) {
            engine.reportOnOom(file);
            reportOnOom = file;
        }
    }

    private static boolean countsAllocations(@Nullable Strategy gate) {
        return gate != null && gate.kind() == Strategy.Kind.ALLOCATIONS;
    }

    /** Returns the interval that the process-wide sampler needs. */
    private int neededInterval() {
        return countsAllocations(gate) ? 0 : interval;
    }

    private Strategy strategy() {
        Strategy chosen = gate;
        return chosen == null ? Strategy.bytes(interval) : chosen;
    }

    private Limits limitsOrDefault() {
        return limits != null ? limits : SamplerOptions.builder().build().limits();
    }

    private void requireSame(@Nullable SamplerOptions options) {
        if (options == null) {
            return;
        }
        boolean sameInterval = !options.hasInterval() || options.interval() == neededInterval();
        boolean sameGate = Objects.equals(gateFor(options), gate);
        Path report = options.reportOnOom();
        boolean sameReport = report == null || report.equals(reportOnOom);
        if (!sameInterval || !sameGate || !sameReport || !limitsFor(options).equals(limits)) {
            throw Refusals.otherOptions(neededInterval(), gate, limits, reportOnOom, options);
        }
    }

    private void requireTerms(Limits wanted, @Nullable Strategy wantedGate) {
        boolean sameGate = Objects.equals(wantedGate, gate);
        if (openRecordings == 0 || (wanted.equals(limits) && sameGate)) {
            return;
        }
        int others = openRecordings - (ownHandle == 0 ? 0 : 1);
        String change =
                sameGate
                        ? "The limits cannot change from " + limits + " to " + wanted
                        : Refusals.strategyChange(gate, wantedGate);
        throw Refusals.whileSamplesAreKept(change, ownHandle != 0, others);
    }

    private int open(Limits wanted, @Nullable Strategy wantedGate, IntUnaryOperator opening) {
        requireTerms(wanted, wantedGate);
        if (openRecordings == 0) {
            terms = engine.configure(wanted, wantedGate == null ? Strategy.bytes(0) : wantedGate);
        }
        int handle = opening.applyAsInt(terms);
        limits = wanted;
        gate = wantedGate;
        openRecordings++;
        return handle;
    }

    void setInterval(long bytes) {
        int wanted = Limits.checkInterval(bytes);
        exclusively(
                () -> {
                    if (countsAllocations(gate)) {
                        throw Refusals.interval(gate, "an interval in bytes has no meaning");
                    }
                    if (ownHandle != 0) {
                        engine.setInterval(ownHandle, wanted);
                    }
                    boolean smaller = wanted < interval;
                    interval = wanted;
                    if (smaller && state == SamplerState.RUNNING) {
                        engine.prime();
                    }
                });
    }

    void stop() {
        exclusively(
                () -> {
                    if (state == SamplerState.RUNNING) {
                        Endings.unlessShuttingDown(() -> engine.pause(ownHandle));
                        state = SamplerState.STOPPED;
                    }
                });
    }

    void reset() {
        exclusively(
                () -> {
                    if (state == SamplerState.RUNNING) {
                        engine.reset(ownHandle);
                    } else if (ownHandle != 0) {
                        Endings.unlessShuttingDown(() -> engine.close(ownHandle));
                        ownHandle = 0;
                        openRecordings--;
                        Endings.unlessShuttingDown(() -> reportTo(null));
                    }
                });
    }

    HeapSnapshot snapshot(SnapshotOptions options) {
        boolean afterGc = options.forcesGc();
        Supplier<byte @Nullable []> work =
                () -> ownHandle == 0 ? null : engine.snapshot(ownHandle, afterGc);
        return engine.inside(
                () -> {
                    byte[] block = locked(work);
                    return block == null ? new HeapSnapshot(empty()) : HeapSnapshot.decode(block);
                });
    }

    private SnapshotData empty() {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        return SnapshotData.empty(now, interval, VmInfo.collector().ordinal(), VmInfo.feature());
    }

    HeapRecording record(RecordingOptions options) {
        engine.prepare();
        long[] threads = options.threadIds().stream().mapToLong(Long::longValue).toArray();
        String[] classes = options.classNames().toArray(String[]::new);
        String[] packages = options.packageNames().toArray(String[]::new);
        return engine.inside(() -> locked(() -> open(options, threads, classes, packages)));
    }

    /** Whoever runs out of memory or stack here gets no recording that could be closed. */
    private HeapRecording open(
            RecordingOptions options, long[] threads, String[] classes, String[] packages) {
        Strategy shared = openRecordings == 0 ? null : gate;
        if (shared != null && options.hasInterval()) {
            throw Refusals.interval(gate, "a recording cannot have an interval of its own");
        }
        int wanted = shared == null ? (int) options.interval() : neededInterval();
        long nanos = options.durationNanos();
        IntUnaryOperator opening =
                agreed -> engine.open(agreed, wanted, threads, classes, packages, nanos);
        IntConsumer closing = engine::close;
        int handle = open(limitsOrDefault(), shared, opening);
        try {
            primeFor(options);
            return new HeapRecording(
                    this, handle, shared == null ? options : options.sharing(wanted));
        } catch (RuntimeException | Error e) {
            openRecordings--;
            Endings.afterFailure(e, closing, handle);
            throw e;
        }
    }

    private void primeFor(RecordingOptions options) {
        if (options.accepts(Thread.currentThread())) {
            engine.prime();
        }
    }

    HeapSnapshot snapshot(HeapRecording recording, SnapshotOptions options) {
        boolean afterGc = options.forcesGc();
        Supplier<byte[]> work = () -> engine.snapshot(recording.handle(), afterGc);
        return engine.inside(() -> HeapSnapshot.decode(locked(work)));
    }

    void setInterval(HeapRecording recording, long bytes) {
        int wanted = Limits.checkInterval(bytes);
        exclusively(
                () -> {
                    int handle = recording.handle();
                    if (gate != null) {
                        throw Refusals.interval(
                                gate, "a recording cannot have an interval of its own");
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
                        openRecordings--;
                    }
                });
    }

    SamplerStatus status() {
        return engine.inside(() -> locked(this::statusNow));
    }

    private SamplerStatus statusNow() {
        return new SamplerStatus(state, sinceMicros, strategy(), neededInterval(), engine.status());
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

    /**
     * Takes note of what others have done with the engine: an agent, or a copy of these classes in
     * another class loader. The process-wide sampler is one for all of them.
     */
    private void join() {
        InForce now = engine.inForce();
        if (now == null) {
            return;
        }
        openRecordings = now.recordings();
        terms = now.terms();
        ownHandle = now.handle();
        sinceMicros = now.sinceMicros();
        reportOnOom = now.reportOnOom();
        if (openRecordings > 0) {
            limits = now.limits();
            gate = Strategy.of(now.strategy(), now.amount());
        }
        if (ownHandle != 0) {
            interval = countsAllocations(gate) ? interval : now.interval();
            state = now.isRunning() ? SamplerState.RUNNING : SamplerState.STOPPED;
        } else if (state == SamplerState.RUNNING) {
            state = SamplerState.STOPPED;
        }
    }

    /** Work that was overtaken has done nothing, and is done again from what is so now. */
    private <T extends @Nullable Object> T locked(Supplier<T> work) {
        synchronized (lock) {
            for (int left = TRIES - 1; ; left--) {
                join();
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
