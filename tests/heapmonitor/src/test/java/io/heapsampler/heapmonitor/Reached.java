// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.shared.HeapReach;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Holds objects in a static field while a snapshot with their reach is taken. */
final class Reached {

    static final Duration LONG = Duration.ofSeconds(60);

    /** A collection first, except with Shenandoah, which then clears soft references. */
    static final SnapshotOptions OPTIONS =
            ManagementFactory.getGarbageCollectorMXBeans().stream()
                            .anyMatch(bean -> bean.getName().contains("Shenandoah"))
                    ? SnapshotOptions.defaults()
                    : SnapshotOptions.afterGc();

    /** The class of the objects whose reach is read. */
    static final class Thing {}

    private static Object holder;

    private static HeapSnapshot last;

    private Reached() {}

    /** Holds the result of the code, and returns how the things in it are reachable. */
    static List<HeapReach> reachOf(Supplier<Object> code) {
        try (HeapRecording recording = Recordings.ofAllThreads(0, Thing.class)) {
            hold(code);
            last = HeapReach.snapshot(recording, OPTIONS, LONG);
            return reachIn(last);
        } finally {
            release();
        }
    }

    /** Returns the snapshot of the last {@link #reachOf}. */
    static HeapSnapshot last() {
        return last;
    }

    /** Holds the result of the code, which no frame holds when the snapshot is taken. */
    static void hold(Supplier<Object> code) {
        holder = code.get();
    }

    static void release() {
        holder = null;
    }

    static List<HeapReach> reachIn(HeapSnapshot snapshot) {
        return Recordings.samplesOf(snapshot, Thing.class).stream().map(HeapReach::of).toList();
    }
}
