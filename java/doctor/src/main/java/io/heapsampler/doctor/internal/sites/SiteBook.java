// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteGrowth;
import io.heapsampler.StackFrame;
import io.heapsampler.doctor.Lifetimes;
import io.heapsampler.doctor.SiteMetrics;
import io.heapsampler.doctor.Timeline;
import io.heapsampler.doctor.internal.timeline.OldCollection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the sampler knows of each site over several collections of the old generation: who is
 * promoted only to die, who stays, who grows.
 *
 * <p>An object counts as promoted if it was born after one collection of the old generation, has
 * survived a young one, and was there at the next one of the old. Whether it is found dead at that
 * one or goes on living makes the difference between premature promotion and a working set. This
 * needs nothing but snapshots in which no collection was forced.
 *
 * <p>Bounded: at most {@value #MOST_SITES} sites, those with most of what is allocated or held, and
 * {@value #MOST_SNAPSHOTS} snapshots, fewer if they are large, but no fewer than the {@value
 * #LEAST_SNAPSHOTS} that growth takes. A snapshot has at most the samples that the sampler tracks,
 * of some 40 bytes each. Safe for use by many threads.
 */
public final class SiteBook {

    private static final int MOST_SITES = 512;
    private static final int MOST_SNAPSHOTS = 8;
    private static final int LEAST_SNAPSHOTS = 3;

    /** Samples in all snapshots that are kept, which is what their size depends on. */
    private static final int MOST_SAMPLES = 24_000;

    /** Clocks are set by more, or the machine has slept; by less they are only put right. */
    private static final long SET_MILLIS = 1_000;

    private final SiteLives lives = new SiteLives(MOST_SITES);

    private final List<HeapSnapshot> snapshots = new ArrayList<>();
    private @Nullable SiteView latest;

    /** Worked out when they are first asked for after a snapshot. */
    private @Nullable List<SiteMetrics> metrics;

    private @Nullable List<SiteGrowth> growing;
    private @Nullable Lifetimes lifetimes;

    /** Of the last closer look. */
    private List<SiteMetrics> closer = List.of();

    /** By the clock of the timeline: of the last snapshot, and of the beginning of its sampler. */
    private long lastAt = Long.MIN_VALUE;

    private long began;

    /** By how much the last snapshot was ahead of the timeline. */
    private long lastAhead;

    /** Makes a history of nothing. */
    public SiteBook() {}

    /**
     * Adds what the sampler has seen up to now. To be called after collections of the old
     * generation; more often does no harm.
     *
     * @param snapshot of the process-wide sampler, without a forced collection
     * @param timeline with the collections up to now
     * @param ahead by how many milliseconds its times are ahead of those of the timeline: the wall
     *     clock may have been set, or the machine may have slept
     */
    public synchronized void add(HeapSnapshot snapshot, Timeline timeline, long ahead) {
        long at = snapshot.takenAt().toEpochMilli() - ahead;
        if (at <= lastAt) {
            return;
        }
        HeapSnapshot last = lastSnapshot();
        if (last == null || !snapshot.startedAt().equals(last.startedAt())) {
            forget(); // the sampler was reset
            began = snapshot.startedAt().toEpochMilli() - ahead;
        } else if (Math.abs(ahead - lastAhead) > SET_MILLIS
                || !snapshot.takenAt().isAfter(last.takenAt())) {
            snapshots.clear(); // Growth is reckoned by the wall clock, which was set.
        }
        lastAt = at;
        lastAhead = ahead;
        List<OldCollection> olds = OldCollection.of(timeline);
        lives.fade(at);
        lives.count(snapshot, ahead, began, olds);
        latest = new SiteView(snapshot, ahead, olds, timeline.settings().regionSize());
        latest.keepLargest(MOST_SITES);
        keep(snapshot);
        metrics = null;
        growing = null;
        lifetimes = null;
    }

    /** Adds what a closer look has seen; it takes the place of the one before. */
    synchronized void addCloser(HeapSnapshot snapshot) {
        SiteView view = new SiteView(snapshot, 0, List.of(), -1);
        view.keepLargest(MOST_SITES);
        closer = view.metrics(new SiteLives(0));
    }

    /** Returns the sites of the last closer look; empty if there was none. */
    synchronized List<SiteMetrics> closer() {
        return closer;
    }

    private @Nullable HeapSnapshot lastSnapshot() {
        return snapshots.isEmpty() ? null : snapshots.get(snapshots.size() - 1);
    }

    private void forget() {
        snapshots.clear();
        lives.clear();
        latest = null;
    }

    /** Every second one of the older goes when there are too many, so that the span grows. */
    private void keep(HeapSnapshot snapshot) {
        snapshots.add(snapshot);
        long samples = 0;
        for (HeapSnapshot each : snapshots) {
            samples += each.samples().size();
        }
        while (snapshots.size() > LEAST_SNAPSHOTS
                && (snapshots.size() > MOST_SNAPSHOTS || samples > MOST_SAMPLES)) {
            int gone = closest();
            samples -= snapshots.get(gone).samples().size();
            snapshots.remove(gone);
        }
    }

    /** The one, neither first nor last, that adds least: its neighbours are closest together. */
    private int closest() {
        int best = 1;
        long least = Long.MAX_VALUE;
        for (int i = 1; i < snapshots.size() - 1; i++) {
            long gap =
                    snapshots.get(i + 1).takenAt().toEpochMilli()
                            - snapshots.get(i - 1).takenAt().toEpochMilli();
            if (gap < least) {
                least = gap;
                best = i;
            }
        }
        return best;
    }

    /**
     * Says whether nothing was added yet.
     *
     * @return true if the sampler has told nothing
     */
    public synchronized boolean isEmpty() {
        return latest == null;
    }

    /** Returns over how many collections of the old generation promotion was summed up. */
    public synchronized double oldCollections() {
        return lives.oldCollections();
    }

    /**
     * Returns the interval of the last snapshot.
     *
     * @return bytes; −1 if there is none
     */
    public synchronized long interval() {
        HeapSnapshot last = lastSnapshot();
        return last == null ? -1 : last.interval();
    }

    /**
     * Returns the figures of all sites, as of the last snapshot.
     *
     * @return in no particular order; unmodifiable
     */
    public synchronized List<SiteMetrics> sites() {
        try {
            if (metrics == null) {
                metrics = latest == null ? List.of() : latest.metrics(lives);
            }
            return metrics;
        } catch (VirtualMachineError | LinkageError e) {
            return List.of(); // Rules go on without sites where memory has run out.
        }
    }

    /**
     * Returns the sites that grow for sure, over the snapshots that are kept.
     *
     * @return fastest first; empty if there are fewer than three snapshots
     */
    public synchronized List<SiteGrowth> growing() {
        if (growing == null) {
            growing =
                    snapshots.size() < LEAST_SNAPSHOTS
                            ? List.of()
                            : HeapGrowth.of(snapshots).growing();
        }
        return growing;
    }

    /** Returns how long objects live, in the last snapshot. */
    public synchronized Lifetimes lifetimes() {
        if (lifetimes == null) {
            HeapSnapshot last = lastSnapshot();
            lifetimes =
                    last == null
                            ? LifetimeMeter.NONE
                            : LifetimeMeter.measure(last, (double) last.collections());
        }
        return lifetimes;
    }

    /**
     * Returns over how many snapshots growth is looked at.
     *
     * @return 0 or more; growth needs three
     */
    public synchronized int snapshots() {
        return snapshots.size();
    }

    /**
     * Returns when the first and the last snapshot that are kept were taken.
     *
     * @return two times; null if there is none
     */
    synchronized Instant @Nullable [] span() {
        HeapSnapshot last = lastSnapshot();
        return last == null ? null : new Instant[] {snapshots.get(0).takenAt(), last.takenAt()};
    }

    /**
     * What makes sites of different snapshots the same. What a record has of itself is linked when
     * it is first called, for which there may be no room in metaspace then.
     */
    record SiteName(String className, List<StackFrame> stack) {
        static SiteName of(HeapSite site) {
            return new SiteName(site.className(), site.stack());
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof SiteName that
                    && className.equals(that.className)
                    && stack.equals(that.stack);
        }

        @Override
        public int hashCode() {
            return 31 * className.hashCode() + stack.hashCode();
        }
    }
}
