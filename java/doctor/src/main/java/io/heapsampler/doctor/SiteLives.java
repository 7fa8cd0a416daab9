// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The promoted bytes of each site, summed up over collections of the old generation. An object
 * counts as promoted if it was born after one of them, has survived a young collection, and was
 * there at the next one of the old generation. Older bytes count less. Each collection counts once,
 * in the first snapshot after its end. For one thread at a time.
 */
final class SiteLives {

    /** After this time the sums count half. */
    private static final long HALF_LIFE_MILLIS = 300_000;

    /** The sums of one site. */
    static final class SiteLife {
        final SiteSum reachedOld = new SiteSum();
        final SiteSum promotedDead = new SiteSum();
    }

    private final int mostSites;
    private final Map<SiteView.Name, SiteLife> lives = new HashMap<>();

    private long countedTo = Long.MIN_VALUE;
    private double oldCollections;
    private double promoted;
    private long lastHalved = Long.MIN_VALUE;

    SiteLives(int mostSites) {
        this.mostSites = mostSites;
    }

    SiteLife of(SiteView.Name name) {
        return lives.getOrDefault(name, new SiteLife());
    }

    double oldCollections() {
        return oldCollections;
    }

    double promoted() {
        return promoted;
    }

    void clear() {
        lives.clear();
        countedTo = Long.MIN_VALUE;
        oldCollections = 0;
        promoted = 0;
    }

    /** Reduces the weight of older sums. */
    void fade(long now) {
        if (lastHalved == Long.MIN_VALUE) {
            lastHalved = now;
        }
        for (; now - lastHalved >= HALF_LIFE_MILLIS; lastHalved += HALF_LIFE_MILLIS) {
            oldCollections /= 2;
            promoted /= 2;
            for (SiteLife life : lives.values()) {
                life.reachedOld.halve();
                life.promotedDead.halve();
            }
            lives.values().removeIf(life -> life.reachedOld.isEmpty());
        }
    }

    /**
     * Counts the collections of the old generation that are over and not counted yet. The times of
     * the snapshot are ahead of the others by some milliseconds; began is when the sampler did.
     */
    void count(
            HeapSnapshot snapshot,
            long ahead,
            long began,
            List<OldCollection> all,
            List<GcEvent> collections) {
        long taken = snapshot.takenAt().toEpochMilli() - ahead;
        List<OldCollection> olds = all.stream().filter(old -> old.end() <= taken).toList();
        long from = Math.max(countedTo, knownSince(snapshot, ahead, began));
        if (olds.isEmpty() || olds.get(olds.size() - 1).at() <= from) {
            return;
        }
        Map<HeapSite, SiteLife> bySite = new HashMap<>();
        for (HeapSample sample : snapshot.samples()) {
            Boolean died = diedOfPromotion(sample, ahead, olds, from);
            if (died != null) {
                SiteLife life = bySite.computeIfAbsent(sample.site(), this::lifeOf);
                life.reachedOld.add(sample);
                if (died) {
                    life.promotedDead.add(sample);
                }
            }
        }
        sumUp(collections, began, olds, from);
        lives.entrySet().stream()
                .sorted(Comparator.comparingDouble(e -> e.getValue().reachedOld.value()))
                .limit(Math.max(lives.size() - mostSites, 0))
                .map(Map.Entry::getKey)
                .toList()
                .forEach(lives::remove);
    }

    private void sumUp(List<GcEvent> all, long began, List<OldCollection> olds, long from) {
        long since = Math.max(countedTo, began);
        countedTo = olds.get(olds.size() - 1).at();
        oldCollections += (double) olds.stream().filter(old -> old.at() > from).count();
        for (GcEvent collection : all) {
            boolean isMeant = collection.atMillis() > since && collection.atMillis() <= countedTo;
            promoted += isMeant ? collection.promoted() : 0;
        }
    }

    private SiteLife lifeOf(HeapSite site) {
        return lives.computeIfAbsent(SiteView.Name.of(site), name -> new SiteLife());
    }

    /** Since when each death is known. The dead are in their order, the earliest forgotten. */
    private static long knownSince(HeapSnapshot snapshot, long ahead, long began) {
        if (snapshot.dropped().getOrDefault(DropCause.DEAD_FORGOTTEN, 0L) > 0) {
            for (HeapSample sample : snapshot.samples()) {
                Instant found = sample.foundDeadAt();
                if (found != null) {
                    return Math.max(began, found.toEpochMilli() - ahead);
                }
            }
        }
        return began;
    }

    /**
     * Whether a promoted sample died at the next collection of the old generation after its birth;
     * null if it was not there, or if that is counted already (those up to {@code from} are).
     */
    private static @Nullable Boolean diedOfPromotion(
            HeapSample sample, long ahead, List<OldCollection> olds, long from) {
        long born = sample.allocatedAt().toEpochMilli() - ahead;
        OldCollection next = null;
        for (int i = olds.size() - 1; i >= 0 && olds.get(i).at() >= born; i--) {
            next = olds.get(i);
        }
        if (next == null || next.at() <= from || sample.collectionsSurvived() == 0) {
            return null;
        }
        Instant seen = sample.lastSeenAliveAt();
        Instant found = sample.foundDeadAt();
        if (seen == null || found == null) {
            return sample.liveness() == Liveness.LIVE ? Boolean.FALSE : null;
        }
        boolean livedOn = seen.toEpochMilli() - ahead > next.survived();
        boolean wasThere = livedOn || next.at() <= found.toEpochMilli() - ahead;
        return wasThere ? Boolean.valueOf(!livedOn) : null;
    }
}
