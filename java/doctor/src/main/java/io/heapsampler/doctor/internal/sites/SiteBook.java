// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.Estimate;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteGrowth;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.LiveSet;
import io.heapsampler.doctor.internal.timeline.OldCollection;
import io.heapsampler.doctor.internal.timeline.Timeline;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The samples of each site over several collections of the old generation: which sites have objects
 * that are promoted only to die, which have objects that stay, and which sites grow.
 *
 * <p>An object counts as promoted if it was born after one collection of the old generation, has
 * survived a young one, and was there at the next one of the old. Whether it is found dead at that
 * one or goes on living makes the difference between premature promotion and a working set. This
 * needs nothing but snapshots in which no collection was forced.
 *
 * <p>Takes at most 4.4 MiB for any application: 1 MiB for at most {@value #MOST_SITES} sites with
 * the most allocated or held bytes, and their stacks; ¼ MiB for the promotion of other sites; ½ MiB
 * for the sites of a closer look; ⅛ MiB for the sites that grow; 2½ MiB for the snapshots over
 * which growth is computed; While growth is computed, these snapshots are unpacked, for one caller
 * at a time. The unpacked snapshots take up to 16 MiB, and the objects made from them take
 * additional memory. {@link #notes()} lists the sites and snapshots that did not fit. No kept
 * object references a snapshot, which can be much larger. Safe for use by many threads.
 */
public final class SiteBook {

    private static final int MOST_SITES = 512;

    static final int VIEW_BYTES = 1 << 20;
    static final int LIVES_BYTES = 256 << 10;
    static final int CLOSER_BYTES = 512 << 10;
    static final int GROWING_BYTES = 128 << 10;

    /** Clocks are set by more, or the machine has slept; by less they are only put right. */
    private static final long SET_MILLIS = 1_000;

    private final SiteLives lives = new SiteLives(MOST_SITES);

    private final PackedSnapshots snapshots = new PackedSnapshots();

    /**
     * Held while snapshots are unpacked, so that their bound holds for all callers together. Taken
     * before the lock of this object, never after it.
     */
    private final Object unpacking = new Object();

    /** As of the last snapshot; null if there is none. */
    private @Nullable List<SiteMetrics> metrics;

    private Totals totals = Totals.NONE;

    private long interval = -1;
    private int leftOut;
    private long bytesOfSites;

    /** Computed at the first request after a snapshot. */
    private @Nullable List<GrowingSite> growing;

    /** Of the last closer look. */
    private List<SiteMetrics> closer = List.of();

    /** By the clock of the timeline: of the last snapshot, and of the beginning of its sampler. */
    private long lastAt = Long.MIN_VALUE;

    private long began;

    /** As the last snapshot has them. */
    private Instant startedAt = Instant.MIN;

    private Instant takenAt = Instant.MIN;

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
        if (metrics == null || !snapshot.startedAt().equals(startedAt)) {
            forget(); // the sampler was reset
            began = snapshot.startedAt().toEpochMilli() - ahead;
        } else if (Math.abs(ahead - lastAhead) > SET_MILLIS
                || !snapshot.takenAt().isAfter(takenAt)) {
            snapshots.clear(); // Growth is reckoned by the wall clock, which was set.
        }
        lastAt = at;
        lastAhead = ahead;
        startedAt = snapshot.startedAt();
        takenAt = snapshot.takenAt();
        interval = snapshot.interval();
        growing = null;
        view(snapshot, timeline, at, ahead);
        snapshots.add(snapshot);
    }

    private void view(HeapSnapshot snapshot, Timeline timeline, long at, long ahead) {
        List<OldCollection> olds = OldCollection.of(timeline);
        lives.fade(at);
        if (tellsPromotion(timeline.settings().collector())) {
            lives.count(snapshot, ahead, began, olds, timeline.collections());
        }
        SiteView view =
                new SiteView(
                        snapshot, ahead, LiveSet.of(timeline), timeline.settings().regionSize());
        SiteRoom room = new SiteRoom(VIEW_BYTES);
        view.keepLargest(MOST_SITES, room);
        room.extend(LIVES_BYTES);
        lives.keep(view, room);
        metrics = view.metrics(lives);
        totals = view.totals();
        leftOut = view.leftOut();
        bytesOfSites = room.taken();
    }

    /**
     * Returns whether samples show which objects were promoted, and which of them died soon after.
     *
     * <p>They do not under generational ZGC. Its young collections treat weakly referenced objects
     * as live, so each sampled object is promoted, whether the application holds it or not. The
     * next major collection then finds both kinds dead. Only survivors of that collection are known
     * to have been promoted. To count them without the dead would make promotion look needed.
     *
     * <p>Nor do they under generational Shenandoah. It finds dead objects when it has marked, and
     * frees their memory in later cycles. Notifications report these later cycles, in which live
     * objects are seen again and dead ones are not. Shenandoah also changes its tenuring threshold
     * as it runs, so an object that dies after a few young collections can be in either generation.
     *
     * @param collector of the JVM
     * @return false where nothing is counted as promoted
     */
    public static boolean tellsPromotion(GarbageCollector collector) {
        return switch (collector) {
            case Z_GENERATIONAL, SHENANDOAH_GENERATIONAL -> false;
            default -> true;
        };
    }

    /** Adds what a closer look has seen; it takes the place of the one before. */
    synchronized void addCloser(HeapSnapshot snapshot) {
        SiteView view = new SiteView(snapshot, 0, LiveSet.NONE, -1);
        view.keepLargest(MOST_SITES, new SiteRoom(CLOSER_BYTES));
        closer = view.metrics(new SiteLives(0));
    }

    /** Returns the sites of the last closer look; empty if there was none. */
    synchronized List<SiteMetrics> closer() {
        return closer;
    }

    private void forget() {
        snapshots.clear();
        lives.clear();
        metrics = null;
        totals = Totals.NONE;
    }

    /**
     * Returns whether the book is empty.
     *
     * @return true if no snapshot was added
     */
    public synchronized boolean isEmpty() {
        return metrics == null;
    }

    /** Returns over how many collections of the old generation promotion was summed up. */
    public synchronized double oldCollections() {
        return lives.oldCollections();
    }

    /** Returns how much was promoted while promotion was summed up. */
    public synchronized Promoted promoted() {
        return lives.promoted();
    }

    /** Returns the sums over all sites of the last snapshot, kept or not. */
    public synchronized Totals totals() {
        return totals;
    }

    /**
     * Returns the interval of the last snapshot.
     *
     * @return bytes; −1 if there is none
     */
    public synchronized long interval() {
        return interval;
    }

    /**
     * Returns the figures of all sites, as of the last snapshot.
     *
     * @return in no particular order; unmodifiable
     */
    public synchronized List<SiteMetrics> sites() {
        return metrics == null ? List.of() : metrics;
    }

    /**
     * Returns the sites that grow for sure, over the snapshots that are kept. Worked out anew each
     * time, since they hold the snapshots; one caller waits for another.
     *
     * @return fastest first; empty if there are fewer than three snapshots
     */
    public List<SiteGrowth> growing() {
        synchronized (unpacking) {
            return PackedSnapshots.growing(packed());
        }
    }

    /** They are unpacked without the lock of this object, for which all others would wait. */
    private synchronized List<byte[]> packed() {
        return snapshots.packed();
    }

    /** Returns the first of them, as far as they have room, for rules. */
    public List<GrowingSite> mostGrowing() {
        List<GrowingSite> known = knownGrowing();
        if (known != null) {
            return known;
        }
        synchronized (unpacking) {
            known = knownGrowing();
            return known == null ? findGrowing() : known;
        }
    }

    private synchronized @Nullable List<GrowingSite> knownGrowing() {
        return growing;
    }

    private List<GrowingSite> findGrowing() {
        List<byte[]> packed;
        long at;
        synchronized (this) {
            packed = snapshots.packed();
            at = lastAt;
        }
        List<GrowingSite> first = new ArrayList<>();
        SiteRoom room = new SiteRoom(GROWING_BYTES);
        try {
            for (SiteGrowth site : PackedSnapshots.growing(packed)) {
                if (room.take(site.className(), site.stack())) {
                    first.add(GrowingSite.of(site));
                }
            }
        } catch (VirtualMachineError | LinkageError e) {
            return List.of(); // Rules go on without them where memory has run out.
        }
        List<GrowingSite> found = List.copyOf(first);
        synchronized (this) {
            growing = at == lastAt ? found : growing;
        }
        return found;
    }

    /**
     * Returns notes about the sites and snapshots for which there was no room.
     *
     * @return sentences in English; empty if there is nothing to say
     */
    public synchronized List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (leftOut > 0) {
            notes.add(
                    Text.count(leftOut, "site is", "sites are")
                            + " not included: only the "
                            + sites().size()
                            + " with the most allocated or held bytes have room.");
        }
        if (lives.leftOut() > 0) {
            notes.add(
                    "Promoted bytes are not summed up for "
                            + Text.count(lives.leftOut(), "site", "sites")
                            + ". The "
                            + Text.count(lives.size(), "site that has", "sites that have")
                            + " room promoted more.");
        }
        String problem = snapshots.problem();
        if (problem != null) {
            notes.add(problem);
        }
        return notes;
    }

    /** Bytes of sites and snapshots, as they are reckoned. */
    synchronized long bytes() {
        return bytesOfSites + snapshots.bytes();
    }

    /**
     * Returns the number of snapshots over which growth is computed.
     *
     * @return 0 or more; growth requires three
     */
    public synchronized int snapshots() {
        return snapshots.size();
    }

    /**
     * Returns the time between the first and the last snapshot over which growth is compared.
     *
     * @return by the clock of the timeline; null if there is no snapshot
     */
    public synchronized @Nullable Span growthSpan() {
        Instant[] span = snapshots.span();
        return span == null
                ? null
                : new Span(span[0].toEpochMilli() - lastAhead, span[1].toEpochMilli() - lastAhead);
    }

    /**
     * A time.
     *
     * @param from milliseconds since 1970
     * @param to likewise
     */
    public record Span(long from, long to) {}

    /**
     * Returns when the first and the last snapshot that are kept were taken.
     *
     * @return two times; null if there is none
     */
    synchronized Instant @Nullable [] span() {
        return snapshots.span();
    }

    /**
     * Sums over all sites of a snapshot.
     *
     * @param churn 1, with the relative error of all allocated bytes
     * @param live bytes that are confirmed live
     * @param humongous bytes of humongous objects
     */
    public record Totals(Estimate churn, Estimate live, Estimate humongous) {
        private static final Estimate ZERO = Estimate.of(0, 0, 0, 0);

        static final Totals NONE = new Totals(ZERO, ZERO, ZERO);
    }

    /**
     * Bytes that collections moved to the old generation, by the sizes of the pools. What is long
     * ago counts less, as in the figures of the sites.
     *
     * @param all while the sampler was running
     * @param followed the part of which the sampler still knew each sampled death when it was read
     */
    public record Promoted(double all, double followed) {}

    /** A site that certainly grows, without the snapshots that show it. */
    public record GrowingSite(
            String className, List<HeapFrame> stack, Estimate bytesPerSecond, int birthEpochs) {
        static GrowingSite of(SiteGrowth site) {
            return new GrowingSite(
                    site.className(),
                    List.copyOf(site.stack()),
                    site.bytesPerSecond(),
                    site.birthEpochs());
        }
    }
}
