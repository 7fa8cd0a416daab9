// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerState;
import io.heapsampler.doctor.Timeline;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.VmClock;
import java.time.Instant;
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

    /** When told twice, the same moment differs by less. */
    private static final long SAME_MILLIS = 20;

    private final SiteBook sites = new SiteBook();
    private final History history;
    private final VmClock clock;
    private final Supplier<Timeline> timeline;
    private final LongSupplier millis;
    private final Runnable starter;

    /** Since when the sampler runs because of this; null if somebody else has started it. */
    private @Nullable Long ownSince;

    /** Whether the sampler had samples of somebody else when it was started. */
    private boolean hasOthers;

    private @Nullable String problem;
    private long lastMillis;
    private long lastOld;

    /**
     * Watches nothing yet.
     *
     * @param history tells of new collections
     * @param clock of the timeline
     * @param timeline what was watched, by that clock
     */
    public SiteWatch(History history, VmClock clock, Supplier<Timeline> timeline) {
        this(history, clock, timeline, () -> System.nanoTime() / 1_000_000, HeapSampler::start);
    }

    /**
     * With a clock for how long ago the last snapshot is, and what starts the sampler, for tests.
     */
    SiteWatch(
            History history,
            VmClock clock,
            Supplier<Timeline> timeline,
            LongSupplier millis,
            Runnable starter) {
        this.history = history;
        this.clock = clock;
        this.timeline = timeline;
        this.millis = millis;
        this.starter = starter;
    }

    /** Starts the sampler unless it runs. */
    public synchronized void begin() {
        if (HeapSampler.status().state() == SamplerState.RUNNING) {
            return;
        }
        try {
            hasOthers = HeapSampler.snapshot().totals().allocated().samples() > 0;
            starter.run();
            ownSince = runningSince();
        } catch (HeapSamplingUnavailableException | IllegalStateException e) {
            problem = e.getMessage();
        }
    }

    public SiteBook sites() {
        return sites;
    }

    /** Returns why there are no samples, null if there are or nobody wanted any. */
    public synchronized @Nullable String problem() {
        return problem;
    }

    /** Takes a snapshot if an old collection has ended since the last one, or that is long ago. */
    public synchronized void look() {
        long age = millis.getAsLong() - lastMillis;
        if (history.oldCollections() != lastOld || lastMillis == 0 || age >= AT_LEAST_MILLIS) {
            take();
        }
    }

    /** Takes a snapshot unless the last one is new. */
    public synchronized void refresh() {
        if (lastMillis == 0 || millis.getAsLong() - lastMillis >= NEW_MILLIS) {
            take();
        }
    }

    private void take() {
        if (HeapSampler.status().state() != SamplerState.RUNNING) {
            return;
        }
        lastOld = history.oldCollections();
        lastMillis = millis.getAsLong();
        try {
            HeapSnapshot snapshot = HeapSampler.snapshot();
            sites.add(snapshot, timeline.get(), clock.ahead());
            problem = null;
        } catch (HeapSamplingUnavailableException | VirtualMachineError | LinkageError e) {
            problem = Text.reason(e); // What is known of sites stays as it is.
        }
    }

    /** Returns since when the sampler runs, by the clock that nobody sets; null if it does not. */
    private @Nullable Long runningSince() {
        Instant since = HeapSampler.status().runningSince();
        return since == null ? null : since.toEpochMilli() - clock.ahead();
    }

    /**
     * Leaves the sampler as it was found. One that was started here is stopped, and its samples,
     * their memory and their bounds go with it; samples of before stay, with those that have joined
     * them. One that somebody has stopped, reset or started since is theirs.
     */
    @Override
    public synchronized void close() {
        Long own = ownSince;
        Long since = runningSince();
        ownSince = null;
        if (own == null || since == null || Math.abs(since - own) > SAME_MILLIS) {
            return;
        }
        HeapSampler.stop();
        if (!hasOthers) {
            HeapSampler.reset();
        }
    }
}
