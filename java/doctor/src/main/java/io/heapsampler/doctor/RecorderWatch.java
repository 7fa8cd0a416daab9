// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Flight Recorder, where there is one. It starts late and on the watching thread, since that takes
 * its time; what keeps it from starting is told, and nothing else depends on it. Safe for use by
 * many threads.
 */
final class RecorderWatch implements AutoCloseable {

    private final History history;
    private final Collector collector;
    private @Nullable RecorderEvents events;
    private @Nullable String problem;
    private boolean closed;

    RecorderWatch(History history, Collector collector) {
        this.history = history;
        this.collector = collector;
    }

    synchronized void begin() {
        if (closed) {
            return;
        }
        if (!isThere()) {
            problem = "there is no module jdk.jfr";
            return;
        }
        try {
            events = RecorderEvents.listening(history, isZ());
            problem = events == null ? "this JVM has none" : null;
        } catch (RuntimeException | LinkageError e) {
            problem = String.valueOf(e.getMessage());
        }
    }

    private boolean isZ() {
        return collector == Collector.Z || collector == Collector.Z_GENERATIONAL;
    }

    private static boolean isThere() {
        return ModuleLayer.boot().findModule("jdk.jfr").isPresent();
    }

    /** Returns why it is not listened to; null if it is, or nobody wanted it. */
    synchronized @Nullable String problem() {
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
