// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteGrowth;
import io.heapsampler.doctor.internal.sites.SiteBook;
import java.util.List;

/**
 * The samples of each site over several collections of the old generation: which sites have objects
 * that are promoted only to die, which have objects that stay, and which sites grow.
 *
 * <p>An object counts as promoted if it was born after one collection of the old generation, has
 * survived a young one, and was there at the next one of the old. Whether it is found dead at that
 * one or goes on living makes the difference between premature promotion and a working set. This
 * needs nothing but snapshots in which no collection was forced.
 *
 * <p>Takes at most 4.4 MiB for any application. The history keeps at most 512 sites with the most
 * allocated or held bytes, and fewer if their stacks are large. It keeps at most eight compressed
 * snapshots, and fewer if they are large. While growth is computed, the unpacked snapshots take up
 * to 16 MiB, and the objects made from them take additional memory. Growth requires three
 * snapshots. {@link Diagnosis#notes()} reports if they have no room, and the number of sites that
 * were left out. Safe for use by many threads.
 */
public final class SiteHistory {

    private final SiteBook book;

    /** Makes a history of nothing. */
    public SiteHistory() {
        this(new SiteBook());
    }

    SiteHistory(SiteBook book) {
        this.book = book;
    }

    SiteBook book() {
        return book;
    }

    /**
     * Adds a snapshot of the sampler. Call it after collections of the old generation; more calls
     * do no harm.
     *
     * @param snapshot of the process-wide sampler, without a forced collection
     * @param timeline with the collections up to now
     */
    public void add(HeapSnapshot snapshot, Timeline timeline) {
        book.add(snapshot, timeline, 0);
    }

    /**
     * Returns whether the history is empty.
     *
     * @return true if no snapshot was added
     */
    public boolean isEmpty() {
        return book.isEmpty();
    }

    /**
     * Returns the interval of the last snapshot.
     *
     * @return bytes; −1 if there is none
     */
    public long interval() {
        return book.interval();
    }

    /**
     * Returns the figures of all sites, as of the last snapshot.
     *
     * @return in no particular order; unmodifiable
     */
    public List<SiteMetrics> sites() {
        return book.sites();
    }

    /**
     * Returns the sites that grow for sure, over the snapshots that are kept. Worked out anew at
     * each call.
     *
     * @return fastest first; empty if there are fewer than three snapshots
     */
    public List<SiteGrowth> growing() {
        return book.growing();
    }

    /**
     * Returns the number of snapshots over which growth is computed.
     *
     * @return 0 or more; growth requires three
     */
    public int snapshots() {
        return book.snapshots();
    }
}
