// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Engine;
import io.heapsampler.internal.InForce;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.Log;
import io.heapsampler.internal.OvertakenException;
import org.jspecify.annotations.Nullable;

/**
 * Opens, steers and closes the recordings beside the process-wide sampler, on behalf of {@link
 * HeapRecording}. Works like {@link ProcessSampler}: methods whose names end in {@code Now} run
 * under the lock.
 */
final class Recordings {

    private static final String NO_INTERVAL = "a recording cannot have an interval of its own";

    private final Engine engine;
    private final Turns turns;

    Recordings(Engine engine, Turns turns) {
        this.engine = engine;
        this.turns = turns;
    }

    HeapRecording open(RecordingOptions options) {
        engine.prepare();
        return turns.inTurn(() -> openNow(options));
    }

    int expectCollection(HeapRecording recording) {
        return turns.inTurn(() -> engine.expectCollection(recording.handle()));
    }

    HeapSnapshot snapshot(HeapRecording recording, int after, long pauseMicros) {
        return engine.inside(() -> decodedSnapshot(recording, after, pauseMicros));
    }

    void setInterval(HeapRecording recording, long bytes) {
        int interval = Limits.checkInterval(bytes);
        turns.inTurn(() -> setIntervalNow(recording, interval));
    }

    void stop(HeapRecording recording) {
        turns.inTurn(() -> stopNow(recording));
    }

    void close(HeapRecording recording) {
        turns.inTurn(() -> closeNow(recording));
    }

    /** Returns the status of the engine, with the state and the interval of this recording. */
    SamplerStatus status(HeapRecording recording) {
        return engine.inside(() -> statusOf(recording));
    }

    private HeapRecording openNow(RecordingOptions options) {
        ProcessState now = turns.state();
        SamplingStrategy shared = now.sharedStrategy();
        if (shared != null && options.hasInterval()) {
            throw Refusals.interval(shared, NO_INTERVAL);
        }
        int interval = shared == null ? (int) options.interval() : now.last().neededInterval();
        int handle =
                engine.open(
                        turns.agreeOn(now.last().limits(), shared),
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
        byte[] block = turns.locked(() -> engine.snapshot(recording.handle(), after, pauseMicros));
        return HeapSnapshot.decode(block);
    }

    private @Nullable Void setIntervalNow(HeapRecording recording, int interval) {
        int handle = recording.handle();
        SamplingStrategy gate = turns.state().last().gate();
        if (gate != null) {
            throw Refusals.interval(gate, NO_INTERVAL);
        }
        engine.setInterval(handle, interval);
        recording.intervalChanged(interval);
        primeFor(recording.options());
        return null;
    }

    private @Nullable Void stopNow(HeapRecording recording) {
        try {
            engine.pause(recording.handle());
        } catch (HeapSamplingUnavailableException e) {
            Endings.ignoreShutdown(e);
        }
        recording.markStopped();
        return null;
    }

    private @Nullable Void closeNow(HeapRecording recording) {
        if (recording.isOpen()) {
            try {
                Endings.close(engine, recording.handle());
            } catch (OvertakenException e) {
                Log.debug("the engine has this recording no longer", e);
            }
            recording.markClosed();
        }
        return null;
    }

    private SamplerStatus statusOf(HeapRecording recording) {
        ProcessState seen = turns.state().seen(engine.inForce());
        InForce own = seen.engine().forRecording(recording.isSampling(), recording.interval());
        return new SamplerStatus(own, seen.last().withInterval(recording.interval()));
    }
}
