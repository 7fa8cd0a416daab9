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
import java.util.function.IntToDoubleFunction;

/**
 * Finds the sites whose growth only soft references hold, by experiment. The JVM clears its soft
 * references, and the code runs again, so that weak maps and caches drop the entries of what died.
 * An object that is gone then was no leak.
 */
final class SoftlyHeld {

    /** Objects of one size that were allocated between the same two looks. */
    private record Cohort(int look, long size) {}

    private final LeakLooks looks;
    private final Map<LeakSite, Map<Cohort, Double>> before;
    private final Set<LeakSite> doubtful = new HashSet<>();
    private Map<LeakSite, Map<Cohort, Double>> after = Map.of();

    /**
     * Counts what is alive.
     *
     * @param snapshot of now, that knows how its samples are reachable
     */
    SoftlyHeld(LeakLooks looks, HeapSnapshot snapshot) {
        this.looks = looks;
        this.before = cohorts(snapshot);
    }

    /** Is there an object of a site that was not found to be strongly reachable? */
    boolean isPossible(LeakSite site) {
        return doubtful.contains(site);
    }

    /** Counts what is still alive after that. */
    void cleared(HeapSnapshot snapshot) {
        after = cohorts(snapshot);
    }

    private Map<LeakSite, Map<Cohort, Double>> cohorts(HeapSnapshot snapshot) {
        Map<LeakSite, Map<Cohort, Double>> all = new HashMap<>();
        for (HeapSite site : snapshot.topByLive(Integer.MAX_VALUE)) {
            LeakSite place = looks.place(site);
            if (place != null) {
                Map<Cohort, Double> ofSite = all.computeIfAbsent(place, key -> new HashMap<>());
                for (HeapSample sample : site.samples()) {
                    add(ofSite, place, sample);
                }
            }
        }
        return all;
    }

    private void add(Map<Cohort, Double> cohorts, LeakSite place, HeapSample sample) {
        if (sample.liveness() != Liveness.DEAD) {
            if (HeapReach.of(sample) != HeapReach.STRONG) {
                doubtful.add(place);
            }
            Cohort cohort = new Cohort(looks.lookAfter(sample.allocated()), sample.size());
            cohorts.merge(cohort, sample.weight(), Double::sum);
        }
    }

    /**
     * Did all objects of a site die that the runs of the proof had left? A copy that each run makes
     * anew, and larger, dies as well: so the site may not have grown on.
     */
    boolean isSoft(LeakSite site) {
        Map<Cohort, Double> were = before.getOrDefault(site, Map.of());
        Map<Cohort, Double> are = after.getOrDefault(site, Map.of());
        return were.keySet().stream().anyMatch(this::isOfProof)
                && are.keySet().stream().noneMatch(this::isOfProof)
                && hasShrunk(looks.of(site), are);
    }

    private boolean isOfProof(Cohort cohort) {
        return cohort.look > LeakJudge.PROOF && cohort.look < looks.count();
    }

    /** Is less alive than if the site had grown since as it did in the proof? */
    private boolean hasShrunk(LiveSeries live, Map<Cohort, Double> are) {
        int last = looks.count() - 1;
        double share =
                (double) LeakRule.CLEARED_RUNS / (looks.run(last) - looks.run(LeakJudge.PROOF));
        double objects = 0;
        double bytes = 0;
        for (Map.Entry<Cohort, Double> cohort : are.entrySet()) {
            objects += cohort.getValue();
            bytes += cohort.getValue() * cohort.getKey().size;
        }
        return objects <= expected(live::objects, last, share)
                && bytes <= expected(live::bytes, last, share);
    }

    /** Without the growth of the proof, but with that of the runs after it. */
    private static double expected(IntToDoubleFunction live, int last, double share) {
        double base = live.applyAsDouble(LeakJudge.PROOF);
        return base + share * (live.applyAsDouble(last) - base);
    }
}
