// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.internal.shared.HeapReach;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Finds the sites whose growth only soft references hold, by experiment. The JVM clears its soft
 * references, and the code runs again, so that weak maps and caches drop the entries of what died.
 * Objects that are gone then were no leak.
 */
final class SoftlyHeld {

    private final LeakLooks looks;

    /** Live objects of each site by the first look after their allocation. */
    private final Map<Leak.Site, LiveSeries> before;

    private final Set<Leak.Site> doubtful = new HashSet<>();
    private Map<Leak.Site, LiveSeries> kept = Map.of();
    private Map<Leak.Site, LiveSeries> after = Map.of();

    /**
     * Counts the live objects.
     *
     * @param snapshot of now, that knows how its samples are reachable
     */
    SoftlyHeld(LeakLooks looks, HeapSnapshot snapshot) {
        this.looks = looks;
        this.before = byBirth(snapshot);
    }

    /** Is there an object of a site that was not found to be strongly reachable? */
    boolean isPossible(Leak.Site site) {
        return doubtful.contains(site);
    }

    /** Counts what is still alive after soft references were cleared. */
    void cleared(HeapSnapshot snapshot) {
        kept = byBirth(snapshot);
    }

    /** Counts what is still alive after the runs that follow. */
    void ran(HeapSnapshot snapshot) {
        after = byBirth(snapshot);
    }

    private Map<Leak.Site, LiveSeries> byBirth(HeapSnapshot snapshot) {
        Map<Leak.Site, LiveSeries> all = new HashMap<>();
        for (HeapSite site : snapshot.topByLive(Integer.MAX_VALUE)) {
            Leak.Site place = looks.place(site);
            if (place != null) {
                LiveSeries ofSite = all.computeIfAbsent(place, key -> noneAlive());
                site.samples().forEach(sample -> add(ofSite, place, sample));
            }
        }
        return all;
    }

    private LiveSeries noneAlive() {
        return new LiveSeries(looks.count() + 1);
    }

    private void add(LiveSeries born, Leak.Site place, HeapSample sample) {
        if (sample.liveness() != Liveness.DEAD) {
            if (HeapReach.of(sample) != HeapReach.STRONG) {
                doubtful.add(place);
            }
            double weight = sample.weight();
            born.add(looks.lookAfter(sample.allocatedAt()), weight, weight * sample.size());
        }
    }

    /**
     * Did the objects die that the runs of the proof had left? Objects of one run may live on, if
     * they are no more than those that died of another: the newest is often held strongly as well.
     * A copy that each run makes anew, and larger, dies too, but does not explain the growth.
     */
    boolean isSoft(Leak.Site site) {
        LiveSeries were = before.getOrDefault(site, noneAlive());
        LiveSeries are = after.getOrDefault(site, noneAlive());
        LiveSeries live = looks.of(site);
        return isExplained(live.objects, were.objects, are.objects)
                && isExplained(live.bytes, were.bytes, are.bytes);
    }

    /** Did the objects of a site stay that were not cleared, such as an array that is not full? */
    boolean isUnchanged(Leak.Site site) {
        LiveSeries were = kept.getOrDefault(site, noneAlive());
        LiveSeries are = after.getOrDefault(site, noneAlive());
        return IntStream.range(0, looks.count())
                .allMatch(look -> are.objects[look] >= were.objects[look]);
    }

    private boolean isExplained(double[] live, double[] were, double[] are) {
        int last = looks.count() - 1;
        double died = 0;
        double diedBefore = 0;
        double most = 0;
        double left = 0;
        int runs = 0;
        for (int look = LeakJudge.PROOF + 1; look <= last; look++) {
            double alive = are[look];
            double dead = were[look] - alive;
            died += dead;
            diedBefore += look < last ? dead : 0;
            most = Math.max(most, dead);
            left += alive;
            runs += alive > 0 ? 1 : 0;
        }
        double growth = live[last] - live[LeakJudge.PROOF];
        double growthBefore = live[last - 1] - live[LeakJudge.PROOF];
        return died > 0
                && died >= growth / 2
                && diedBefore >= growthBefore / 2
                && runs <= 1
                && left <= most;
    }
}
