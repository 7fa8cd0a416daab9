// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Engine;
import io.heapsampler.internal.FacadeAccess;
import io.heapsampler.internal.InForce;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.OvertakenException;
import io.heapsampler.internal.holders.HeldPaths;
import java.lang.ref.WeakReference;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Opens, steers and closes the recordings beside the process-wide sampler, on behalf of {@link
 * HeapRecording}. Works like {@link ProcessSampler}: methods whose names end in {@code Now} run
 * under the lock.
 */
final class Recordings implements FacadeAccess.Recordings {

    private static final String NO_INTERVAL = "a recording cannot have an interval of its own";

    private final Engine engine;
    private final Turns turns;
    private final HolderSearch search;

    Recordings(Engine engine, Turns turns, HolderSearch search) {
        this.engine = engine;
        this.turns = turns;
        this.search = search;
    }

    HeapRecording open(RecordingOptions options) {
        engine.prepare();
        return turns.inTurn(() -> openNow(options));
    }

    @Override
    public int expectCollection(HeapRecording recording) {
        return turns.inTurn(() -> ifOpen(recording, engine::expectCollection));
    }

    @Override
    public HeapSnapshot snapshot(HeapRecording recording, int after, long pauseMicros) {
        return engine.inside(() -> decodedSnapshot(recording, after, pauseMicros));
    }

    @Override
    public HeldPaths pathsTo(WeakReference<?>[] watched, HeldByOptions options) {
        return search.pathsTo(watched, options);
    }

    HeldBy heldBy(HeapRecording recording, HeldByOptions options) {
        return search.search(() -> decodedSnapshot(recording, Engine.AFTER_FORCED, 0), options);
    }

    void setInterval(HeapRecording recording, long bytes) {
        int interval = Limits.checkInterval(bytes);
        turns.inTurn(() -> setIntervalNow(recording, interval));
    }

    /** Allocates nothing before the engine is called, nor afterwards: the heap may be full. */
    void stop(HeapRecording recording) {
        synchronized (turns) {
            if (!engine.pause(recording.handle())) {
                throw recording.lost();
            }
            recording.markStopped();
        }
    }

    /** Allocates nothing before the engine is called, nor afterwards: the heap may be full. */
    @SuppressWarnings("CheckReturnValue") // one that the engine has lost is closed, too
    void close(HeapRecording recording) {
        synchronized (turns) {
            if (recording.isOpen()) {
                engine.close(recording.handle());
                recording.markClosed();
            }
        }
    }

    @Override
    public SamplerStatus status(HeapRecording recording) {
        return engine.inside(() -> statusOf(recording));
    }

    private HeapRecording openNow(RecordingOptions options) {
        ProcessState now = turns.state();
        SamplingStrategy shared = now.sharedStrategy();
        if (shared != null && options.hasInterval()) {
            throw Refusals.interval(shared, NO_INTERVAL);
        }
        int interval = shared == null ? (int) options.interval() : now.terms().neededInterval();
        int handle =
                engine.open(
                        turns.agreeOn(now.terms().limits(), shared),
                        interval,
                        options.threadIds().stream().mapToLong(Long::longValue).toArray(),
                        options.classNames().toArray(String[]::new),
                        options.packageNames().toArray(String[]::new),
                        options.durationNanos());
        try {
            primeFor(options);
            return new HeapRecording(
                    this, handle, shared == null ? options : options.sharing(interval));
        } catch (RuntimeException | Error e) {
            undoOpen(handle, e); // the caller gets nothing that it could close
            throw e;
        }
    }

    private void undoOpen(int handle, Throwable failure) {
        try {
            engine.close(handle);
        } catch (RuntimeException | Error later) {
            failure.addSuppressed(later);
        }
    }

    private void primeFor(RecordingOptions options) {
        if (options.accepts(Thread.currentThread())) {
            engine.prime();
        }
    }

    private HeapSnapshot decodedSnapshot(HeapRecording recording, int after, long pauseMicros) {
        byte[] block =
                turns.locked(
                        () ->
                                ifOpen(
                                        recording,
                                        handle -> engine.snapshot(handle, after, pauseMicros)));
        return HeapSnapshot.decode(block, search);
    }

    private @Nullable Void setIntervalNow(HeapRecording recording, int interval) {
        int handle = recording.handle();
        SamplingStrategy gate = turns.state().terms().gate();
        if (gate != null) {
            throw Refusals.interval(gate, NO_INTERVAL);
        }
        try {
            engine.setInterval(handle, interval);
        } catch (OvertakenException e) {
            throw recording.lost();
        }
        recording.intervalChanged(interval);
        primeFor(recording.options());
        return null;
    }

    /** The engine has lost a recording if an error came between its end and the mark. */
    private static <T extends @Nullable Object> T ifOpen(
            HeapRecording recording, IntFunction<T> call) {
        try {
            return call.apply(recording.handle());
        } catch (OvertakenException e) {
            throw recording.lost();
        }
    }

    private SamplerStatus statusOf(HeapRecording recording) {
        ProcessState seen = turns.state().seen(engine.inForce());
        InForce own = seen.engine().forRecording(recording.isSampling(), recording.interval());
        return new SamplerStatus(own, seen.terms().withInterval(recording.interval()));
    }
}
