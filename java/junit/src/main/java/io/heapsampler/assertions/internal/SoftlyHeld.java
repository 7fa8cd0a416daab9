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
import java.util.function.ToDoubleBiFunction;

/**
 * Finds the sites whose growth only soft references hold, by experiment. The JVM clears its soft
 * references, and the code runs again, so that weak maps and caches drop the entries of what died.
 * Objects that are gone then were no leak.
 */
final class SoftlyHeld {

    private final LeakLooks looks;

    /** Live objects of each site by the first look after their allocation. */
    private final Map<LeakSite, LiveSeries> before;

    private final Set<LeakSite> doubtful = new HashSet<>();
    private Map<LeakSite, LiveSeries> kept = Map.of();
    private Map<LeakSite, LiveSeries> after = Map.of();

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
    boolean isPossible(LeakSite site) {
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

    private Map<LeakSite, LiveSeries> byBirth(HeapSnapshot snapshot) {
        Map<LeakSite, LiveSeries> all = new HashMap<>();
        for (HeapSite site : snapshot.topByLive(Integer.MAX_VALUE)) {
            LeakSite place = looks.place(site);
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

    private void add(LiveSeries born, LeakSite place, HeapSample sample) {
        if (sample.liveness() != Liveness.DEAD) {
            if (HeapReach.of(sample) != HeapReach.STRONG) {
                doubtful.add(place);
            }
            double weight = sample.weight();
            born.add(looks.lookAfter(sample.allocatedAt()), weight, weight * sample.size());
        }
    }

    /**
     * Did the objects die that the runs of the proof had left? What one run has left may live on,
     * if it is no more than what died of another: the newest is often held strongly as well. A copy
     * that each run makes anew, and larger, dies too, but does not explain the growth.
     */
    boolean isSoft(LeakSite site) {
        LiveSeries were = before.getOrDefault(site, noneAlive());
        LiveSeries are = after.getOrDefault(site, noneAlive());
        return isExplained(site, were, are, LiveSeries::objects)
                && isExplained(site, were, are, LiveSeries::bytes);
    }

    /** Did the objects of a site stay that were not cleared, such as an array that is not full? */
    boolean isUnchanged(LeakSite site) {
        LiveSeries were = kept.getOrDefault(site, noneAlive());
        LiveSeries are = after.getOrDefault(site, noneAlive());
        for (int look = 0; look < looks.count(); look++) {
            if (are.objects(look) < were.objects(look)) {
                return false;
            }
        }
        return true;
    }

    private boolean isExplained(
            LeakSite site,
            LiveSeries were,
            LiveSeries are,
            ToDoubleBiFunction<LiveSeries, Integer> amount) {
        int last = looks.count() - 1;
        double died = 0;
        double diedBefore = 0;
        double most = 0;
        double left = 0;
        int runs = 0;
        for (int look = LeakJudge.PROOF + 1; look <= last; look++) {
            double alive = amount.applyAsDouble(are, look);
            double dead = amount.applyAsDouble(were, look) - alive;
            died += dead;
            diedBefore += look < last ? dead : 0;
            most = Math.max(most, dead);
            left += alive;
            runs += alive > 0 ? 1 : 0;
        }
        LiveSeries live = looks.of(site);
        double base = amount.applyAsDouble(live, LeakJudge.PROOF);
        double growth = amount.applyAsDouble(live, last) - base;
        double growthBefore = amount.applyAsDouble(live, last - 1) - base;
        return died > 0
                && died >= growth / 2
                && diedBefore >= growthBefore / 2
                && runs <= 1
                && left <= most;
    }
}
