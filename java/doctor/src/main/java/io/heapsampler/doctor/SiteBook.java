// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.DropCause;
import io.heapsampler.Estimate;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSnapshot;
import java.time.Instant;
import java.util.List;

/**
 * What snapshots of the sampler, in which no collection was forced, show of the sites: their
 * figures as of the last one, the promotion summed up by {@link SiteLives}, and {@link Growth}.
 *
 * <p>Bounded by counts: {@value #MOST_SITES} sites each of the last snapshot, of promotion and of
 * the closer looks of either kind, with {@link Places#kept} of their stacks. Nothing of it
 * references a snapshot. Safe for use by many threads, of which none waits for another to read,
 * except for {@link Growth#growing()}.
 */
final class SiteBook {

    static final int MOST_SITES = 512;

    /** Clocks are set by more, or the machine has slept; by less they are only put right. */
    private static final long SET_MILLIS = 1_000;

    private final SiteLives lives = new SiteLives(MOST_SITES);
    final Growth growth = new Growth();

    private volatile State state = State.NONE;
    private volatile List<SiteMetrics> owners = List.of();
    private volatile List<SiteMetrics> loaders = List.of();

    /** What the last search for holders of a leak has shown. */
    volatile Softly softly = Softly.UNKNOWN;

    /** Whether a search may show what is softly reachable: false after one has failed. */
    volatile boolean canSearchHolders;

    /** By the clock of the timeline: when the sampler began. */
    private long began;

    /** As of the last snapshot. */
    private record State(
            Instant startedAt,
            Instant takenAt,
            long ahead,
            List<SiteMetrics> sites,
            Totals totals) {
        static final State NONE = new State(Instant.MIN, Instant.MIN, 0, List.of(), Totals.NONE);
    }

    /**
     * Adds what the sampler has seen up to now. To be called after collections of the old
     * generation; more often does no harm. The timeline was read before the snapshot was taken, so
     * that it has no later collection. The times of the snapshot are ahead by some milliseconds:
     * the wall clock may have been set, or the machine may have slept.
     */
    synchronized void add(HeapSnapshot snapshot, Timeline timeline, long ahead) {
        long at = snapshot.takenAt().toEpochMilli() - ahead;
        State last = state;
        if (!isEmpty() && at <= last.takenAt.toEpochMilli() - last.ahead) {
            return;
        }
        if (!snapshot.startedAt().equals(last.startedAt)) { // It is the first, or it was reset.
            lives.clear();
            growth.clear();
            began = snapshot.startedAt().toEpochMilli() - ahead;
        } else if (Math.abs(ahead - last.ahead) > SET_MILLIS
                || !snapshot.takenAt().isAfter(last.takenAt)) {
            growth.clear(); // It is reckoned by the wall clock, which was set.
        }
        growth.add(snapshot);
        lives.fade(at);
        if (tellsPromotion(timeline.settings().collector())) {
            lives.count(snapshot, ahead, began, OldCollection.of(timeline), timeline.collections());
        }
        SiteView view =
                new SiteView(
                        snapshot, ahead, LiveSet.of(timeline), timeline.settings().regionSize());
        Totals totals = view.totals(lives);
        state =
                new State(
                        snapshot.startedAt(),
                        snapshot.takenAt(),
                        ahead,
                        view.largest(MOST_SITES, lives),
                        totals);
    }

    /**
     * Returns whether samples show which objects were promoted, and which of them died soon after.
     *
     * <p>Not under generational ZGC: its young collections treat weakly referenced objects as live,
     * so each sampled object is promoted. Nor under generational Shenandoah: it frees the memory of
     * dead objects in later cycles, and only these are notified.
     */
    static boolean tellsPromotion(GarbageCollector collector) {
        return collector != GarbageCollector.Z_GENERATIONAL
                && collector != GarbageCollector.SHENANDOAH_GENERATIONAL;
    }

    /**
     * Adds what a closer look at owners or at loaders has seen; it takes the place of the one of
     * that kind before. Under generational ZGC the sampler tracks one sample in 8 or so, and often
     * none of the few.
     */
    synchronized void addCloser(HeapSnapshot snapshot, boolean isOfOwners) {
        SiteView view = new SiteView(snapshot, 0, LiveSet.NONE, -1);
        if (snapshot.dropped().getOrDefault(DropCause.THINNED, 0L) > 0) {
            view.holdAll();
        }
        List<SiteMetrics> sites = view.largest(MOST_SITES, new SiteLives(0));
        owners = isOfOwners ? sites : owners;
        loaders = isOfOwners ? loaders : sites;
    }

    /**
     * Has the last closer look at owners enough samples of owners at a site that survived a
     * collection?
     */
    boolean hasOwner() {
        return owners.stream()
                .anyMatch(
                        site ->
                                KnownClasses.isOwner(site.className(), site.stack())
                                        && site.live().samples() >= 10);
    }

    /** Returns the sites of the last closer look at owners or at loaders; empty without one. */
    List<SiteMetrics> closer(boolean isOfOwners) {
        return isOfOwners ? owners : loaders;
    }

    /** Returns whether no snapshot was added. */
    boolean isEmpty() {
        return state.takenAt.equals(Instant.MIN);
    }

    /** Returns the sums over all sites of the last snapshot, kept or not. */
    Totals totals() {
        return state.totals;
    }

    /** Returns the sites as of the last snapshot, in no particular order. */
    List<SiteMetrics> sites() {
        return state.sites;
    }

    /**
     * Returns the time between the first and the last snapshot over which growth is compared, by
     * the clock of the timeline; zeros if there is no snapshot.
     */
    Span growthSpan() {
        return growth.span(state.ahead);
    }

    /** Returns a note if snapshots have no room, so that growth is not known. */
    List<String> notes() {
        return growth.notes();
    }

    /** A time, in milliseconds since 1970. */
    record Span(long from, long to) {}

    /**
     * Sums over all sites. The two of promotion are of the time while the sampler was running; what
     * is long ago counts less, as in the figures of the sites.
     *
     * @param churn 1, with the relative error of all allocated bytes
     * @param live bytes that are confirmed live
     * @param humongous bytes of humongous objects
     * @param promoted bytes that collections moved to the old generation, by the sizes of the pools
     * @param oldCollections over how many collections of the old generation that was summed up
     * @param interval of the last snapshot in bytes; −1 if there is none
     * @param meanSize bytes of an allocated object, rather too few; 0 if it is not known
     */
    record Totals(
            Estimate churn,
            Estimate live,
            Estimate humongous,
            double promoted,
            double oldCollections,
            long interval,
            double meanSize) {
        static final Totals NONE =
                new Totals(SiteSum.ZERO, SiteSum.ZERO, SiteSum.ZERO, 0, 0, -1, 0);
    }
}
