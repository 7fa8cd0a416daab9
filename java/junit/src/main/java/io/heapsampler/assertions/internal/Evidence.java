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
import io.heapsampler.internal.shared.LoadersText;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A recording of one run of the measured code. Used by one thread. */
final class Evidence implements AutoCloseable {

    /** The maximum pause of the JVM to find out how objects are reachable. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final HeapRecording recording;
    private @Nullable HeapSnapshot judged;
    private boolean isOpen = true;

    private Evidence(HeapRecording recording) {
        this.recording = recording;
    }

    /** Computes the figure of a run from its recording, which has ended. */
    interface Figure {
        Measured of(Evidence evidence) throws NotMeasuredException;
    }

    /**
     * Records one run and returns its figure, which allows for threads that the recording may not
     * have seen from their start.
     */
    static Measured ofRun(Scope scope, long interval, Subject subject, Figure figure)
            throws Throwable {
        UnseenThreads older = UnseenThreads.older(scope);
        Evidence evidence = openWithShare(scope, interval);
        try {
            UnseenThreads carriers = UnseenThreads.carriers(scope);
            subject.run();
            carriers.end();
            evidence.stop();
            return carriers.widen(older.widen(figure.of(evidence)));
        } catch (Throwable e) {
            evidence.close();
            throw e;
        }
    }

    /**
     * Begins to record the allocations that count, of the calling thread or of all.
     *
     * @param interval bytes between two samples, 0 for every allocation
     */
    static Evidence open(Scope scope, long interval) throws NotMeasuredException {
        return open(scope, interval, true);
    }

    /**
     * The same, but if every allocation is recorded, objects of other classes are as well: the
     * exceptions and class loaders among them show the JVM's share.
     */
    private static Evidence openWithShare(Scope scope, long interval) throws NotMeasuredException {
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
        if (!Permits.acquire()) {
            throw new NotMeasuredException(
                    "No recording could be opened: too many assertions measure at once, or the"
                            + " thread was interrupted. Run fewer tests in parallel.");
        }
        boolean isDone = false;
        try {
            Evidence evidence = new Evidence(HeapSampler.record(options.build()));
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

    /** Ends the recording; its snapshots stay available. */
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

    /** Returns that snapshot again; without one, a snapshot of now. */
    HeapSnapshot judged() {
        return judged == null ? snapshot() : judged;
    }

    /** Returns a snapshot in which everything is live or dead. */
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

    /** Returns a snapshot that shows which live objects are only softly reachable. */
    HeapSnapshot snapshotWithReach() {
        return HeapReach.snapshot(recording, SnapshotOptions.afterGc(), LONGEST_PAUSE);
    }

    /** Searches the references that hold class loaders; see {@link LoadersText#search}. */
    LoadersText pathsTo(List<WeakReference<ClassLoader>> loaders) {
        return LoadersText.search(recording, loaders);
    }

    /**
     * Returns the sites that count, with their live objects if the collector can identify them; a
     * list to be sorted.
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

    /** Returns the sites that count, without the JVM's own allocations of a first run. */
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

    /**
     * How many recordings assertions may have open at a time. A caller that needs several at once
     * reserves them all, because a thread that holds one and waits for more may wait for others
     * that do the same. Thread-safe.
     */
    static final class Permits {

        /** The sampler's maximum, except for some that the application may open itself. */
        static final int MOST = 56;

        private static final long PATIENCE_SECONDS = 60;
        private static final Semaphore ALL = new Semaphore(MOST);
        private static final ThreadLocal<Reservation> RESERVED = new ThreadLocal<>();

        private Permits() {}

        /** Permits that this thread has in advance; to be closed by it. */
        static final class Reservation implements AutoCloseable {

            private final int size;
            private final @Nullable Reservation around = RESERVED.get();
            private int free;

            private Reservation(int size) {
                this.size = size;
                this.free = size;
            }

            /** Has it got all permits? */
            boolean isThere() {
                return size > 0;
            }

            @Override
            public void close() {
                if (around == null) {
                    RESERVED.remove();
                } else {
                    RESERVED.set(around);
                }
                ALL.release(free); // those that are in use come back one by one
                free = 0;
            }
        }

        /** Reserves some for this thread, inside its earlier reservations; it may get none. */
        static Reservation reserve(int count) {
            boolean isDone = count <= MOST && take(count);
            Reservation reservation = new Reservation(isDone ? count : 0);
            RESERVED.set(reservation);
            return reservation;
        }

        /** Takes one; false if there was none for too long. */
        static boolean acquire() {
            Reservation reservation = RESERVED.get();
            while (reservation != null && reservation.free == 0) {
                reservation = reservation.around;
            }
            if (reservation == null) {
                return take(1);
            }
            reservation.free--;
            return true;
        }

        /** Gives one back. */
        static void release() {
            Reservation reservation = RESERVED.get();
            while (reservation != null && reservation.free == reservation.size) {
                reservation = reservation.around;
            }
            if (reservation == null) {
                ALL.release();
            } else {
                reservation.free++;
            }
        }

        /** Free permits; for tests. */
        static int free() {
            return ALL.availablePermits();
        }

        private static boolean take(int count) {
            try {
                return ALL.tryAcquire(count) // even if interrupted
                        || ALL.tryAcquire(count, PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
