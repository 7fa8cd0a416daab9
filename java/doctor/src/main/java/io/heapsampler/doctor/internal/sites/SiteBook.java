// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.DropCause;
import io.heapsampler.Estimate;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.LiveSet;
import io.heapsampler.doctor.internal.timeline.OldCollection;
import io.heapsampler.doctor.internal.timeline.Timeline;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What snapshots of the sampler, in which no collection was forced, show of the sites: their
 * figures as of the last one, the promotion summed up by {@link SiteLives}, and {@link Growth}.
 *
 * <p>Bounded by counts: {@value #MOST_SITES} sites each of the last snapshot, of promotion and of a
 * closer look, with {@link Places#kept} of their stacks. {@link #notes()} reports sites and
 * snapshots without room. Nothing of it references a snapshot. Safe for use by many threads, of
 * which none waits for another to read, except for {@link #mostGrowing()}.
 */
public final class SiteBook {

    static final int MOST_SITES = 512;

    /** Clocks are set by more, or the machine has slept; by less they are only put right. */
    private static final long SET_MILLIS = 1_000;

    private static final String NO_ROOM =
            "{} not included: only the {} with the most allocated or held bytes have room.";

    private static final String NOT_SUMMED_UP =
            "Promoted bytes are not summed up for {}. The {} room promoted more.";

    private final SiteLives lives = new SiteLives(MOST_SITES);
    final Growth growth = new Growth();

    private volatile State state = State.NONE;
    private volatile List<SiteMetrics> closer = List.of();

    /** By the clock of the timeline: when the sampler began. */
    private long began;

    /** As of the last snapshot. */
    private record State(
            Instant startedAt,
            Instant takenAt,
            long ahead,
            List<SiteMetrics> sites,
            Totals totals,
            long interval,
            double oldCollections,
            Promoted promoted,
            List<String> notes) {
        static final State NONE =
                new State(
                        Instant.MIN,
                        Instant.MIN,
                        0,
                        List.of(),
                        Totals.NONE,
                        -1,
                        0,
                        new Promoted(0, 0),
                        List.of());
    }

    /**
     * Adds what the sampler has seen up to now. To be called after collections of the old
     * generation; more often does no harm. The timeline was read before the snapshot was taken, so
     * that it has no later collection. The times of the snapshot are ahead by some milliseconds:
     * the wall clock may have been set, or the machine may have slept.
     */
    public synchronized void add(HeapSnapshot snapshot, Timeline timeline, long ahead) {
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
        state = state(snapshot, timeline, ahead);
    }

    private State state(HeapSnapshot snapshot, Timeline timeline, long ahead) {
        long region = timeline.settings().regionSize();
        SiteView view = new SiteView(snapshot, ahead, LiveSet.of(timeline), region);
        Totals totals = view.totals();
        int leftOut = view.keepLargest(MOST_SITES);
        return new State(
                snapshot.startedAt(),
                snapshot.takenAt(),
                ahead,
                view.metrics(lives),
                totals,
                snapshot.interval(),
                lives.oldCollections(),
                lives.promoted(),
                notes(leftOut));
    }

    private List<String> notes(int leftOut) {
        List<String> notes = new ArrayList<>();
        if (leftOut > 0) {
            String sites = Text.count(leftOut, "site is", "sites are");
            notes.add(Text.of(NO_ROOM, sites, MOST_SITES));
        }
        if (lives.leftOut() > 0) {
            String gone = Text.count(lives.leftOut(), "site", "sites");
            String kept = Text.count(lives.size(), "site that has", "sites that have");
            notes.add(Text.of(NOT_SUMMED_UP, gone, kept));
        }
        notes.addAll(growth.notes());
        return notes;
    }

    /**
     * Returns whether samples show which objects were promoted, and which of them died soon after.
     *
     * <p>Not under generational ZGC: its young collections treat weakly referenced objects as live,
     * so each sampled object is promoted. Nor under generational Shenandoah: it frees the memory of
     * dead objects in later cycles, and only these are notified.
     */
    public static boolean tellsPromotion(GarbageCollector collector) {
        return collector != GarbageCollector.Z_GENERATIONAL
                && collector != GarbageCollector.SHENANDOAH_GENERATIONAL;
    }

    /**
     * Adds what a closer look has seen of small objects; it takes the place of the one before.
     * Under generational ZGC the sampler tracks one sample in 8 or so, and often none of the few.
     */
    synchronized void addCloser(HeapSnapshot snapshot) {
        SiteView view = new SiteView(snapshot, 0, LiveSet.NONE, -1);
        if (snapshot.dropped().getOrDefault(DropCause.THINNED, 0L) > 0) {
            view.holdAll();
        }
        view.keepLargest(MOST_SITES);
        closer = view.metrics(null);
    }

    /** Adds the objects born in a closer look that are live; returns how many samples these are. */
    long addBorn(HeapSnapshot snapshot, long millis) {
        return growth.addBorn(snapshot, millis);
    }

    /** Returns the sites of the last closer look; empty if there was none. */
    List<SiteMetrics> closer() {
        return closer;
    }

    /** Returns whether no snapshot was added. */
    public boolean isEmpty() {
        return state.takenAt.equals(Instant.MIN);
    }

    /** Returns over how many collections of the old generation promotion was summed up. */
    public double oldCollections() {
        return state.oldCollections;
    }

    /** Returns how much was promoted while promotion was summed up. */
    public Promoted promoted() {
        return state.promoted;
    }

    /** Returns the sums over all sites of the last snapshot, kept or not. */
    public Totals totals() {
        return state.totals;
    }

    /** Returns the interval of the last snapshot in bytes; −1 if there is none. */
    public long interval() {
        return state.interval;
    }

    /** Returns the sites as of the last snapshot, in no particular order. */
    public List<SiteMetrics> sites() {
        return state.sites;
    }

    /** Returns the sites that grow for sure; worked out once after each snapshot. */
    public List<GrowingSite> mostGrowing() {
        return growth.growing();
    }

    /**
     * Returns the time between the first and the last snapshot over which growth is compared, by
     * the clock of the timeline; null if there is no snapshot.
     */
    public @Nullable Span growthSpan() {
        return growth.span(state.ahead);
    }

    /** Returns notes about the sites and snapshots for which there was no room. */
    public List<String> notes() {
        return state.notes;
    }

    /** A time, in milliseconds since 1970. */
    public record Span(long from, long to) {}

    /**
     * Sums over all sites of a snapshot.
     *
     * @param churn 1, with the relative error of all allocated bytes
     * @param live bytes that are confirmed live
     * @param humongous bytes of humongous objects
     */
    public record Totals(Estimate churn, Estimate live, Estimate humongous) {
        static final Totals NONE = new Totals(SiteSum.ZERO, SiteSum.ZERO, SiteSum.ZERO);
    }

    /**
     * Bytes that collections moved to the old generation, by the sizes of the pools. What is long
     * ago counts less, as in the figures of the sites.
     *
     * @param all while the sampler was running
     * @param followed the part of which the sampler still knew each sampled death when it was read
     */
    public record Promoted(double all, double followed) {}

    /** A site that certainly grows; of a closer look: a line, and in how many seconds it did. */
    public record GrowingSite(
            String className, List<HeapFrame> stack, Estimate bytesPerSecond, int birthEpochs) {}
}
