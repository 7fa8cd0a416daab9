// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerStatus;
import io.heapsampler.internal.shared.HeapReach;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A recording of every allocation, and what it may have missed. Used by one thread at a time. */
final class LeakRecording implements AutoCloseable {

    /** Far beyond need. */
    private static final long MOST_MILLIS = 1_000;

    private final LeakRule rule;
    private final UnseenThreads older;
    private final Evidence evidence;
    private final UnseenThreads carriers;
    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    private WeakReference<Object> reference = newReference();
    private @Nullable UnseenThreads withoutSample;

    /** Begins to record. */
    LeakRecording(LeakRule rule) throws NotMeasuredException {
        this.rule = rule;
        older = UnseenThreads.older(rule.scope());
        evidence = Evidence.open(rule.scope(), 0);
        carriers = UnseenThreads.carriers(rule.scope());
    }

    private WeakReference<Object> newReference() {
        return new WeakReference<>(new Object(), queue);
    }

    /** Takes the first look: from now on, threads that were seen already are seen exactly. */
    HeapSnapshot begin() throws NotMeasuredException {
        HeapSnapshot snapshot = look();
        withoutSample = older.withoutSample(snapshot);
        return snapshot;
    }

    /** Collects and returns the live objects. */
    HeapSnapshot look() throws NotMeasuredException {
        return evidence.snapshotAfterGc();
    }

    /** Returns the live objects after a count that collects, without collecting again. */
    HeapSnapshot lookAfter(Runnable counting) throws NotMeasuredException {
        HeapSnapshot snapshot = evidence.snapshotAfter(counting);
        awaitClearedReferences();
        return snapshot;
    }

    /** Returns the live objects once more, and how they are reachable. */
    HeapSnapshot lookWithReach() {
        return evidence.snapshotWithReach();
    }

    /** Returns the live objects after the JVM has cleared its soft references. */
    HeapSnapshot lookWithoutSoft() throws NotMeasuredException {
        HeapReach.ageSoftReferences();
        look();
        System.runFinalization();
        HeapSnapshot snapshot = look();
        awaitClearedReferences();
        return snapshot;
    }

    /**
     * Waits until a thread of the JVM has put the references that a collection has cleared into
     * their queues. A weak map drops the entries of dead keys only when it finds them there. On a
     * busy machine that thread is late, and the entries of several looks would look like growth.
     */
    private void awaitClearedReferences() {
        try {
            queue.remove(MOST_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (reference.get() == null) {
            reference = newReference();
        }
    }

    /** To be called right after each run. */
    void ran() {
        carriers.end();
    }

    /** Will the table of live objects be full soon, perhaps of garbage? */
    boolean isCrowded() {
        SamplerStatus status = HeapSampler.status();
        return 2 * status.tracked() > status.trackedBudget();
    }

    /** Ends the recording; its last snapshot is kept. */
    void stop() {
        evidence.stop();
    }

    /** Returns an exact 0 if every object was seen, else why not. */
    Measured unseen(HeapSnapshot last, LeakLooks looks) {
        Measured seen = Drops.ofLive(last, Measured.exact(0, "", null));
        if (looks.hasLost(last)) {
            seen = seen.widened(0, Double.POSITIVE_INFINITY, Drops.CUT, Drops.CUT_HELP);
        }
        double accepted = (double) rule.perSite() * rule.iterations();
        seen = Objects.requireNonNull(withoutSample).unbounded(seen, accepted);
        return carriers.unbounded(seen, accepted);
    }

    @Override
    public void close() {
        evidence.close();
    }
}
