// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerState;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes snapshots of the sampler when there is something new to see in them: after collections of
 * the old generation, on demand, and once a minute at least. Never forces a collection. Safe for
 * use by many threads.
 */
final class SiteWatch implements AutoCloseable {

    private static final long AT_LEAST_MILLIS = 60_000;

    /** On demand, younger ones are new enough. */
    private static final long NEW_MILLIS = 1_000;

    /** The same where a snapshot takes half a region of G1 or more, so that G1 marks the heap. */
    private static final long LARGE_NEW_MILLIS = 10_000;

    private final SiteBook sites = new SiteBook();
    private final History history;
    private final VmClock clock;
    private final Supplier<Timeline> timeline;
    private final Supplier<SamplerHold> holding;

    /** So that the sampler runs; null before the beginning, where it cannot, and after the end. */
    private @Nullable SamplerHold hold;

    private @Nullable String problem;
    private boolean isClosed;
    private long lastMillis;
    private long lastOld;
    private JvmEvent last = own(0, 0);
    private boolean isLarge;

    /** The history counts new collections; the clock is that of the timeline. */
    SiteWatch(
            History history,
            VmClock clock,
            Supplier<Timeline> timeline,
            Supplier<SamplerHold> holding) {
        this.history = history;
        this.clock = clock;
        this.timeline = timeline;
        this.holding = holding;
    }

    /** Holds the sampler, so that it runs. */
    synchronized void begin() {
        try {
            hold = holding.get();
        } catch (HeapSamplingUnavailableException | IllegalStateException e) {
            problem = e.getMessage();
        }
    }

    SiteBook sites() {
        return sites;
    }

    /** Returns why there are no samples; null if there are some or none were wanted. */
    synchronized @Nullable String problem() {
        return problem;
    }

    /** Takes a snapshot if an old collection has ended since the last one, or that is long ago. */
    synchronized void look() {
        if (history.oldCollections() != lastOld || isOlderThan(AT_LEAST_MILLIS)) {
            take();
        }
    }

    /** Takes a snapshot unless the last one is new. */
    synchronized void refresh() {
        if (isOlderThan(isLarge ? LARGE_NEW_MILLIS : NEW_MILLIS)) {
            take();
        }
    }

    /**
     * Takes a snapshot if a warning about live memory names no site and there is something new to
     * see; returns whether it did.
     */
    synchronized boolean refreshFor(Diagnosis judged) {
        boolean isWanted = false;
        for (Finding each : judged.findings()) { // No lambda: it needs metaspace.
            boolean isLeak = each.id().equals(HoldersLook.LEAK);
            isWanted |= isLeak && each.severity() != Severity.INFO && each.sites().isEmpty();
        }
        isWanted &= history.oldCollections() != lastOld || isOlderThan(LARGE_NEW_MILLIS);
        if (isWanted) {
            take();
        }
        return isWanted;
    }

    private boolean isOlderThan(long age) {
        return lastMillis == 0 || clock.now() - lastMillis >= age;
    }

    private void take() {
        if (isClosed || HeapSampler.status().state() != SamplerState.RUNNING) {
            return;
        }
        lastOld = history.oldCollections();
        lastMillis = clock.now();
        try {
            Timeline before = timeline.get(); // The sampler looks after all of its collections.
            isLarge |= isLarge(before);
            long began = clock.now();
            try {
                sites.add(HeapSampler.snapshot(), before, clock.ahead());
            } finally {
                last = own(began, clock.now());
                history.add(last);
            }
            problem = null;
        } catch (HeapSamplingUnavailableException | VirtualMachineError | LinkageError e) {
            problem = Text.reason(e); // What is known of sites stays as it is.
        }
    }

    private boolean isLarge(Timeline timeline) {
        for (GcEvent collection : timeline.collections()) {
            if (collection.cause().equals(Causes.HUMONGOUS) && last.hasCaused(collection)) {
                return true;
            }
        }
        return false;
    }

    private static JvmEvent own(long began, long ended) {
        return new JvmEvent(
                JvmEvent.OWN_SNAPSHOT, began, (double) ended - began, Map.of(), List.of());
    }

    /** Gives the sampler back, and takes no more snapshots. It runs on for others who hold it. */
    @Override
    public synchronized void close() {
        isClosed = true;
        SamplerHold held = hold;
        hold = null;
        if (held != null) {
            held.close();
        }
    }
}
