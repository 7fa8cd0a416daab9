// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerState;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.Timeline;
import io.heapsampler.doctor.internal.timeline.VmClock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes snapshots of the sampler when there is something new to see in them: after collections of
 * the old generation, on demand, and once a minute at least. Never forces a collection. Safe for
 * use by many threads.
 */
public final class SiteWatch implements AutoCloseable {

    private static final long AT_LEAST_MILLIS = 60_000;

    /** On demand, younger ones are new enough. */
    private static final long NEW_MILLIS = 1_000;

    private final SiteBook sites = new SiteBook();
    private final History history;
    private final VmClock clock;
    private final Supplier<Timeline> timeline;
    private final LongSupplier millis;
    private final Supplier<SamplerHold> holding;

    /** So that the sampler runs; null before the beginning, where it cannot, and after the end. */
    private @Nullable SamplerHold hold;

    private @Nullable String problem;
    private boolean isClosed;
    private long lastMillis;
    private long lastOld;

    /** The history counts new collections; the clock is that of the timeline. */
    public SiteWatch(History history, VmClock clock, Supplier<Timeline> timeline) {
        this(history, clock, timeline, SiteWatch::nowMillis, () -> HeapSampler.share("doctor"));
    }

    private static long nowMillis() {
        return System.nanoTime() / 1_000_000;
    }

    /** With a clock for the age of the last snapshot, and what holds the sampler, for tests. */
    SiteWatch(
            History history,
            VmClock clock,
            Supplier<Timeline> timeline,
            LongSupplier millis,
            Supplier<SamplerHold> holding) {
        this.history = history;
        this.clock = clock;
        this.timeline = timeline;
        this.millis = millis;
        this.holding = holding;
    }

    /** Holds the sampler, so that it runs. */
    public synchronized void begin() {
        try {
            hold = holding.get();
        } catch (HeapSamplingUnavailableException | IllegalStateException e) {
            problem = e.getMessage();
        }
    }

    public SiteBook sites() {
        return sites;
    }

    /** Returns why there are no samples; null if there are some or none were wanted. */
    public synchronized @Nullable String problem() {
        return problem;
    }

    /** Takes a snapshot if an old collection has ended since the last one, or that is long ago. */
    public synchronized void look() {
        if (history.oldCollections() != lastOld || isOlderThan(AT_LEAST_MILLIS)) {
            take();
        }
    }

    /** Takes a snapshot unless the last one is new. */
    public synchronized void refresh() {
        if (isOlderThan(NEW_MILLIS)) {
            take();
        }
    }

    private boolean isOlderThan(long age) {
        return lastMillis == 0 || millis.getAsLong() - lastMillis >= age;
    }

    private void take() {
        if (isClosed || HeapSampler.status().state() != SamplerState.RUNNING) {
            return;
        }
        lastOld = history.oldCollections();
        lastMillis = millis.getAsLong();
        try {
            Timeline before = timeline.get(); // The sampler looks after all of its collections.
            sites.add(HeapSampler.snapshot(), before, clock.ahead());
            problem = null;
        } catch (HeapSamplingUnavailableException | VirtualMachineError | LinkageError e) {
            problem = Text.reason(e); // What is known of sites stays as it is.
        }
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
