// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerStatus;
import io.heapsampler.internal.shared.HeapReach;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A recording of every allocation, and what it may have missed. */
final class LeakRecording implements AutoCloseable {

    private final LeakRule rule;
    private final OlderThreads threads;
    private final Evidence evidence;
    private final Carriers carriers;
    private @Nullable OlderThreads unseenThreads;

    /** Begins to record. */
    LeakRecording(LeakRule rule) throws NotMeasuredException {
        this.rule = rule;
        threads = OlderThreads.of(rule.scope());
        evidence = Evidence.open(rule.scope(), 0);
        carriers = Carriers.others(rule.scope());
    }

    /** Takes the first look: from now on, threads that were seen already are seen exactly. */
    HeapSnapshot begin() throws NotMeasuredException {
        HeapSnapshot snapshot = look();
        unseenThreads = threads.unseenIn(snapshot);
        return snapshot;
    }

    /** Collects and looks at the living. */
    HeapSnapshot look() throws NotMeasuredException {
        return evidence.snapshotAfterGc();
    }

    /** Looks at the living after a count that collects, without collecting again. */
    HeapSnapshot lookAfter(Runnable counting) throws NotMeasuredException {
        return evidence.snapshotAfter(counting);
    }

    /** Looks at the living once more, and at how they are reachable. */
    HeapSnapshot lookWithReach() {
        return evidence.snapshotWithReach();
    }

    /** Looks at the living after the JVM has cleared what only soft references held. */
    HeapSnapshot lookWithoutSoft() throws NotMeasuredException {
        HeapReach.ageSoftReferences();
        look();
        System.runFinalization();
        return look();
    }

    /** To be called right after each run. */
    void ran() {
        carriers.end();
    }

    /** Will the table of living objects be full soon, perhaps of garbage? */
    boolean isCrowded() {
        SamplerStatus status = HeapSampler.status();
        return 2 * status.tracked() > status.trackedBudget();
    }

    /** Ends the recording; its last snapshot is kept. */
    void stop() {
        evidence.stop();
    }

    /** Returns an exact nothing if every object was seen, else why not. */
    Measured unseen(HeapSnapshot last, LeakLooks looks) {
        Measured seen = Drops.ofLive(last, Measured.exact(0, "", null));
        if (looks.hasLost(last)) {
            seen = lost(seen, CutStacks.REASON, CutStacks.HELP);
        }
        double bytes = Objects.requireNonNull(unseenThreads).bytes();
        if (bytes > accepted()) {
            seen = lost(seen, OlderThreads.reason(bytes), OlderThreads.HELP);
        }
        if (carriers.bytes() > accepted()) {
            seen = lost(seen, carriers.reason(), Carriers.HELP);
        }
        return seen;
    }

    private double accepted() {
        return (double) rule.perSite() * rule.iterations();
    }

    private static Measured lost(Measured seen, String reason, String help) {
        return seen.widened(0, Double.POSITIVE_INFINITY, reason, help);
    }

    @Override
    public void close() {
        evidence.close();
    }
}
