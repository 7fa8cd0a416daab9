// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.OldCollection;
import io.heapsampler.doctor.internal.timeline.Promotion;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The promoted bytes of each site, summed up over collections of the old generation. Older bytes
 * count less. Each collection counts once, however often it is reported. For one thread at a time.
 */
final class SiteLives {

    /** After this time the sums count half. */
    private static final long HALF_LIFE_MILLIS = 300_000;

    private final int mostSites;
    private final Map<SiteName, SiteLife> lives = new HashMap<>();

    private long countedTo = Long.MIN_VALUE;
    private double oldCollections;
    private double promoted;
    private double followed;
    private int leftOut;
    private long lastHalved = Long.MIN_VALUE;

    SiteLives(int mostSites) {
        this.mostSites = mostSites;
    }

    /** The sums of one site. */
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

    /** Returns the sums of one site; null if there are none. */
    @Nullable SiteLife of(SiteName name) {
        return lives.get(name);
    }

    /** Returns over how many collections of the old generation it was summed up. */
    double oldCollections() {
        return oldCollections;
    }

    void clear() {
        lives.clear();
        countedTo = Long.MIN_VALUE;
        oldCollections = 0;
        promoted = 0;
        followed = 0;
        leftOut = 0;
    }

    /** Reduces the weight of older sums. */
    void fade(long now) {
        if (lastHalved == Long.MIN_VALUE) {
            lastHalved = now;
        }
        while (now - lastHalved >= HALF_LIFE_MILLIS) {
            lives.values().forEach(SiteLife::halve);
            lives.values().removeIf(SiteLife::isEmpty);
            oldCollections /= 2;
            promoted /= 2;
            followed /= 2;
            lastHalved += HALF_LIFE_MILLIS;
        }
    }

    /**
     * Counts what met the collections of the old generation since the last time.
     *
     * @param snapshot of the sampler
     * @param ahead by how many milliseconds its times are ahead of those of the collections
     * @param began when the sampler did, by the clock of the collections
     * @param olds the collections, oldest first
     * @param all collections of either generation
     */
    void count(
            HeapSnapshot snapshot,
            long ahead,
            long began,
            List<OldCollection> olds,
            List<GcEvent> all) {
        // Before it is over, all that a collection frees looks alive.
        long taken = snapshot.takenAt().toEpochMilli() - ahead;
        long[] starts =
                olds.stream()
                        .filter(old -> old.end() <= taken)
                        .mapToLong(OldCollection::at)
                        .toArray();
        if (starts.length == 0) {
            return;
        }
        long from = Math.max(countedTo, knownSince(snapshot, ahead, began));
        long to = starts[starts.length - 1];
        if (to <= from) {
            return;
        }
        Map<HeapSite, SiteLife> bySite = new HashMap<>();
        for (HeapSample sample : snapshot.samples()) {
            Boolean died = diedOfPromotion(sample, ahead, starts, from);
            if (died != null) {
                bySite.computeIfAbsent(sample.site(), this::lifeOf).add(sample, died);
            }
        }
        for (long start : starts) {
            oldCollections += start > from ? 1 : 0;
        }
        sumUp(all, began, starts, from);
        countedTo = to;
        leftOut = 0;
        bound();
    }

    /** Samples that meet a collection after this time were promoted since the one before it. */
    private void sumUp(List<GcEvent> all, long began, long[] starts, long from) {
        long since = Math.max(countedTo, began);
        long followedSince = since;
        for (long start : starts) {
            followedSince = start <= from ? Math.max(start, followedSince) : followedSince;
        }
        for (GcEvent collection : all) {
            long at = collection.atMillis();
            if (at <= starts[starts.length - 1]) {
                promoted += at > since ? Promotion.bytes(collection) : 0;
                followed += at > followedSince ? Promotion.bytes(collection) : 0;
            }
        }
    }

    SiteBook.Promoted promoted() {
        return new SiteBook.Promoted(promoted, followed);
    }

    private SiteLife lifeOf(HeapSite site) {
        return lives.computeIfAbsent(SiteName.of(site), name -> new SiteLife());
    }

    /** The sites with least go first. */
    private void bound() {
        if (lives.size() > mostSites) {
            leftOut += lives.size() - mostSites;
            lives.entrySet().stream()
                    .sorted(Comparator.comparingDouble(e -> e.getValue().reachedOld.value()))
                    .limit(lives.size() - mostSites)
                    .map(Map.Entry::getKey)
                    .toList()
                    .forEach(lives::remove);
        }
    }

    /**
     * Keeps those that have room, and of no snapshot more than that: names take their frames from
     * the last one, as far as it has the site, and share them with its figures.
     */
    void keep(SiteView last, SiteRoom room) {
        Map<SiteName, SiteLife> kept = new HashMap<>();
        lives.entrySet().stream()
                .sorted(Comparator.comparingDouble(e -> -e.getValue().reachedOld.value()))
                .forEach(
                        each -> {
                            SiteName there = last.nameOf(each.getKey());
                            SiteName name = there == null ? each.getKey() : there;
                            if (room.take(name.className(), name.stack())) {
                                kept.put(name.alone(), each.getValue());
                            }
                        });
        leftOut += lives.size() - kept.size();
        lives.clear();
        lives.putAll(kept);
    }

    /** How many sites were not kept when the last collections were counted. */
    int leftOut() {
        return leftOut;
    }

    int size() {
        return lives.size();
    }

    /** Since when each death is known: before, some have been forgotten. */
    private static long knownSince(HeapSnapshot snapshot, long ahead, long began) {
        if (snapshot.dropped().getOrDefault(DropCause.DEAD_FORGOTTEN, 0L) == 0) {
            return began;
        }
        for (HeapSample sample : snapshot.samples()) {
            Instant found = sample.foundDeadAt();
            if (found != null) {
                // The dead are in their order.
                return Math.max(began, found.toEpochMilli() - ahead);
            }
        }
        return began;
    }

    /**
     * Returns whether a promoted sample was found dead at the next collection of the old
     * generation. A sample counts as promoted if it was born after the previous one and has
     * survived a young collection.
     *
     * @param ahead by how much its times are ahead
     * @param starts the starts of the collections of the old generation, ascending
     * @param from samples of collections up to this time are already counted
     * @return true if it died there, false if it lived on; null if it was not there
     */
    private static @Nullable Boolean diedOfPromotion(
            HeapSample sample, long ahead, long[] starts, long from) {
        int first = firstAfter(starts, sample.allocatedAt().toEpochMilli() - ahead);
        if (first == starts.length || starts[first] <= from) {
            return null;
        }
        if (sample.liveness() == Liveness.LIVE) {
            return sample.collectionsSurvived() > 0 ? Boolean.FALSE : null;
        }
        Instant seen = sample.lastSeenAliveAt();
        Instant found = sample.foundDeadAt();
        if (seen == null || found == null || sample.collectionsSurvived() == 0) {
            return null;
        }
        long seenMillis = seen.toEpochMilli() - ahead;
        boolean wasThere =
                seenMillis <= starts[first] && starts[first] <= found.toEpochMilli() - ahead;
        boolean livedOn = seenMillis > starts[first];
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
