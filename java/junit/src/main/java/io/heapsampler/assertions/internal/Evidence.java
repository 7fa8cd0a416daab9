// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.internal.shared.FullCollection;
import io.heapsampler.internal.shared.HeapReach;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A recording of one run of the measured code. */
final class Evidence implements AutoCloseable {

    /** How long the JVM may stand still for that. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final HeapRecording recording;
    private @Nullable HeapSnapshot judged;
    private boolean isOpen = true;

    private Evidence(HeapRecording recording) {
        this.recording = recording;
    }

    /**
     * Begins to record what counts, for the calling thread or for all.
     *
     * @param interval bytes between two samples, 0 for every allocation
     */
    static Evidence open(Scope scope, long interval) throws NotMeasuredException {
        return open(scope, interval, true);
    }

    /**
     * Begins to record, for the calling thread or for all. With every allocation recorded, objects
     * of other classes are recorded as well, since exceptions and class loaders among them tell
     * what the JVM's share is.
     *
     * @param interval bytes between two samples, 0 for every allocation
     */
    static Evidence openWithShare(Scope scope, long interval) throws NotMeasuredException {
        return open(scope, interval, interval > 0);
    }

    private static Evidence open(Scope scope, long interval, boolean isFiltered)
            throws NotMeasuredException {
        RecordingOptions.Builder options = RecordingOptions.builder().interval(interval);
        if (isFiltered) {
            scope.types().forEach(options::className);
            scope.packages().forEach(options::packageName);
        }
        if (scope.threads() == ThreadScope.TEST) {
            options.thread(Thread.currentThread());
        }
        return open(options.build());
    }

    private static Evidence open(RecordingOptions options) throws NotMeasuredException {
        acquire();
        boolean isDone = false;
        try {
            Evidence evidence = new Evidence(HeapSampler.record(options));
            isDone = true;
            return evidence;
        } catch (HeapSamplingUnavailableException e) {
            throw new NotMeasuredException(e.reason() + ": " + e.getMessage());
        } catch (IllegalStateException e) {
            throw new NotMeasuredException(String.valueOf(e.getMessage()));
        } finally {
            if (!isDone) {
                Permits.release();
            }
        }
    }

    private static void acquire() throws NotMeasuredException {
        if (!Permits.acquire()) {
            throw new NotMeasuredException(
                    "No recording could be opened: too many assertions measure at once, or the"
                            + " thread was interrupted. Run fewer tests in parallel.");
        }
    }

    /** Ends the recording; what it has seen is kept. */
    void stop() {
        recording.stop();
    }

    HeapSnapshot snapshot() {
        return recording.snapshot();
    }

    /**
     * Returns the snapshot after a collection that is judged. It is kept, for {@link #judged}: less
     * may be alive later, if other code has run meanwhile.
     */
    HeapSnapshot judge() throws NotMeasuredException {
        judged = snapshotAfterGc();
        return judged;
    }

    /** Returns that snapshot again; without one, how things are now. */
    HeapSnapshot judged() {
        return judged == null ? snapshot() : judged;
    }

    /** A snapshot in which everything is live or dead. */
    HeapSnapshot snapshotAfterGc() throws NotMeasuredException {
        return afterGc(() -> recording.snapshot(SnapshotOptions.afterGc()));
    }

    /** The same, after work that makes a full collection as well, which then serves both. */
    HeapSnapshot snapshotAfter(Runnable collecting) throws NotMeasuredException {
        return afterGc(
                () -> {
                    FullCollection collection = FullCollection.expect(recording);
                    collecting.run();
                    return collection.snapshot();
                });
    }

    private HeapSnapshot afterGc(Supplier<HeapSnapshot> taking) throws NotMeasuredException {
        if (HeapSampler.status().collector() == GarbageCollector.EPSILON) {
            throw new NotMeasuredException(
                    "The Epsilon collector collects nothing, so it is unknown what stays alive. Run"
                            + " this test with another collector.",
                    true,
                    recording.snapshot());
        }
        HeapSnapshot snapshot = taking.get();
        if (!snapshot.isAfterGc()) {
            throw noCollection(snapshot);
        }
        return snapshot;
    }

    static NotMeasuredException noCollection(HeapSnapshot snapshot) {
        return new NotMeasuredException(
                "The JVM ran no collection when one was requested, so it is unknown what stays"
                        + " alive. Run the test again, or with another collector.",
                snapshot);
    }

    /** A snapshot that knows which of the living are only softly reachable. */
    HeapSnapshot snapshotWithReach() {
        return HeapReach.snapshot(recording, SnapshotOptions.afterGc(), LONGEST_PAUSE);
    }

    /**
     * The sites that count, with their live objects if the collector can identify them; a list to
     * be sorted.
     */
    static List<SiteFigures> sites(@Nullable Evidence evidence, Scope scope) {
        if (evidence == null) {
            return new ArrayList<>();
        }
        HeapSnapshot snapshot;
        try {
            snapshot = evidence.snapshotAfterGc();
        } catch (NotMeasuredException e) {
            snapshot = evidence.snapshot();
        }
        return sites(snapshot, scope);
    }

    /** The sites that count, without what the JVM itself allocates on a first run. */
    static List<SiteFigures> sites(HeapSnapshot snapshot, Scope scope) {
        JvmShare share = JvmShare.of(snapshot);
        return SiteFigures.of(snapshot, scope, site -> share.kind(site) != null);
    }

    @Override
    public void close() {
        if (isOpen) {
            isOpen = false;
            try {
                recording.close();
            } finally {
                Permits.release();
            }
        }
    }
}
