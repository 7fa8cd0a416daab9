// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.DropCause;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.SiteGrowth;
import io.heapsampler.StackFrame;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * <p>Bounded: at most {@value #MOST_SITES} sites and {@value #MOST_SNAPSHOTS} snapshots, fewer if
 * they are large. Safe for use by many threads.
 */
public final class SiteHistory {

    private static final int MOST_SITES = 512;
    private static final int MOST_SNAPSHOTS = 8;

    /** Samples in all snapshots that are kept, which is what their size depends on. */
    private static final int MOST_SAMPLES = 24_000;

    /** After so much time what was summed up counts half. */
    private static final long HALF_LIFE_MILLIS = 300_000;

    private final Map<SiteName, SiteLife> lives = new HashMap<>();

    private final List<HeapSnapshot> snapshots = new ArrayList<>();
    private @Nullable SiteView latest;

    /** Worked out when they are first asked for after a snapshot. */
    private @Nullable List<SiteMetrics> metrics;

    private @Nullable List<SiteGrowth> growing;
    private @Nullable Lifetimes lifetimes;

    /** Of the last closer look. */
    private List<SiteMetrics> closer = List.of();

    private long countedTo;
    private double oldCollections;
    private long lastHalved;

    /** Makes a history of nothing. */
    public SiteHistory() {}

    /**
     * Adds what the sampler has seen up to now. To be called after collections of the old
     * generation; more often does no harm.
     *
     * @param snapshot of the process-wide sampler, without a forced collection
     * @param timeline with the collections up to now
     */
    public synchronized void add(HeapSnapshot snapshot, Timeline timeline) {
        HeapSnapshot last = lastSnapshot();
        if (last != null && !snapshot.takenAt().isAfter(last.takenAt())) {
            return;
        }
        if (last != null && snapshot.startedAt().isAfter(last.startedAt())) {
            forget(); // the sampler was reset
        }
        List<OldCollection> olds = OldCollection.of(timeline);
        fade(snapshot.takenAt().toEpochMilli());
        countOld(snapshot, olds);
        latest = new SiteView(snapshot, olds, timeline.settings().regionSize());
        keep(snapshot);
        metrics = null;
        growing = null;
        lifetimes = null;
    }

    /** Adds what a closer look has seen; it takes the place of the one before. */
    synchronized void addCloser(HeapSnapshot snapshot) {
        closer = new SiteView(snapshot, List.of(), -1).metrics(Map.of());
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
        countedTo = 0;
        oldCollections = 0;
    }

    private void fade(long now) {
        if (lastHalved == 0) {
            lastHalved = now;
        }
        while (now - lastHalved >= HALF_LIFE_MILLIS) {
            lives.values().forEach(SiteLife::halve);
            lives.values().removeIf(SiteLife::isEmpty);
            oldCollections /= 2;
            lastHalved += HALF_LIFE_MILLIS;
        }
    }

    /** Counts what met the collections of the old generation since the last time. */
    private void countOld(HeapSnapshot snapshot, List<OldCollection> olds) {
        long[] starts = olds.stream().mapToLong(OldCollection::at).toArray();
        if (starts.length == 0) {
            return;
        }
        long from = Math.max(countedTo, knownSince(snapshot));
        long to = starts[starts.length - 1];
        if (to <= from) {
            return;
        }
        Map<HeapSite, SiteLife> bySite = new HashMap<>();
        for (HeapSample sample : snapshot.samples()) {
            Boolean died = Promotion.of(sample, starts, from);
            if (died != null) {
                bySite.computeIfAbsent(sample.site(), this::lifeOf).add(sample, died);
            }
        }
        for (long start : starts) {
            oldCollections += start > from ? 1 : 0;
        }
        countedTo = to;
        bound();
    }

    /** Since when each death is known: before, some have been forgotten. */
    private static long knownSince(HeapSnapshot snapshot) {
        long since = snapshot.startedAt().toEpochMilli();
        Long forgotten = snapshot.dropped().get(DropCause.DEAD_FORGOTTEN);
        if (forgotten == null || forgotten == 0) {
            return since;
        }
        for (HeapSample sample : snapshot.samples()) {
            Instant found = sample.foundDead();
            if (found != null) {
                return Math.max(since, found.toEpochMilli()); // the dead are in their order
            }
        }
        return since;
    }

    private SiteLife lifeOf(HeapSite site) {
        return lives.computeIfAbsent(SiteName.of(site), name -> new SiteLife());
    }

    /** The sites with least go first. */
    private void bound() {
        if (lives.size() > MOST_SITES) {
            lives.entrySet().stream()
                    .sorted(Comparator.comparingDouble(e -> e.getValue().reachedOld.value()))
                    .limit(lives.size() - MOST_SITES)
                    .map(Map.Entry::getKey)
                    .toList()
                    .forEach(lives::remove);
        }
    }

    /** Every second one of the older goes when there are too many, so that the span grows. */
    private void keep(HeapSnapshot snapshot) {
        snapshots.add(snapshot);
        long samples = 0;
        for (HeapSnapshot each : snapshots) {
            samples += each.samples().size();
        }
        while (snapshots.size() > 1
                && (snapshots.size() > MOST_SNAPSHOTS || samples > MOST_SAMPLES)) {
            int gone = closest();
            samples -= snapshots.get(gone).samples().size();
            snapshots.remove(gone);
        }
    }

    /** The one, neither first nor last, that adds least: its neighbours are closest together. */
    private int closest() {
        int best = 0;
        long least = Long.MAX_VALUE;
        for (int i = 1; i < snapshots.size() - 1; i++) {
            long gap =
                    snapshots.get(i + 1).takenAt().toEpochMilli()
                            - snapshots.get(i - 1).takenAt().toEpochMilli();
            if (gap <= least) {
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
    synchronized double oldCollections() {
        return oldCollections;
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
            growing = snapshots.size() < 3 ? List.of() : HeapGrowth.of(snapshots).growing();
        }
        return growing;
    }

    /** Returns how long objects live, in the last snapshot. */
    synchronized Lifetimes lifetimes() {
        if (lifetimes == null) {
            HeapSnapshot last = lastSnapshot();
            lifetimes =
                    last == null
                            ? Lifetimes.NONE
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

    /** What makes sites of different snapshots the same. */
    record SiteName(String className, List<StackFrame> stack) {
        static SiteName of(HeapSite site) {
            return new SiteName(site.className(), site.stack());
        }
    }

    /** What was summed up of one site. Guarded by the history. */
    static final class SiteLife {
        final SiteSum reachedOld = new SiteSum();
        final SiteSum promotedDead = new SiteSum();

        void add(HeapSample sample, boolean died) {
            reachedOld.add(sample);
            if (died) {
                promotedDead.add(sample);
            }
        }

        void halve() {
            reachedOld.halve();
            promotedDead.halve();
        }

        boolean isEmpty() {
            return reachedOld.isEmpty();
        }
    }

    /** Whether samples were promoted, and died of it. */
    private static final class Promotion {

        private Promotion() {}

        /**
         * Says whether a sample was born after one collection of the old generation and was there,
         * having survived a young one, at the next.
         *
         * @param starts when those of the old generation began, ascending
         * @param from what met the ones up to here is counted already
         * @return true if it died there, false if it lived on; null if it was not there
         */
        static @Nullable Boolean of(HeapSample sample, long[] starts, long from) {
            long born = sample.allocated().toEpochMilli();
            int first = firstAfter(starts, Math.max(born, 0));
            if (first == starts.length || starts[first] <= from) {
                return null;
            }
            if (sample.liveness() == Liveness.LIVE) {
                return sample.collectionsSurvived() > 0 ? Boolean.FALSE : null;
            }
            Instant seen = sample.lastSeenAlive();
            Instant found = sample.foundDead();
            if (seen == null || found == null || sample.collectionsSurvived() == 0) {
                return null;
            }
            boolean wasThere =
                    seen.toEpochMilli() <= starts[first] && starts[first] <= found.toEpochMilli();
            boolean livedOn = seen.toEpochMilli() > starts[first];
            return wasThere ? Boolean.TRUE : livedOn ? Boolean.FALSE : null;
        }

        private static int firstAfter(long[] starts, long millis) {
            int i = 0;
            while (i < starts.length && starts[i] < millis) {
                i++;
            }
            return i;
        }
    }
}
