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

/**
 * Finds the sites whose growth only soft references hold, by experiment: it compares the objects
 * before and after the JVM has cleared its soft references. An object that then dies was no leak.
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

    /** Counts what is still alive after soft references were cleared. */
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
     * Did all objects of a site die that the runs of the proof made? The last run may have left
     * some, as large as others that died: the newest of them are often held strongly as well.
     */
    boolean isSoft(LeakSite site) {
        Map<Cohort, Double> left = after.getOrDefault(site, Map.of());
        Set<Long> died = new HashSet<>();
        before.getOrDefault(site, Map.of())
                .forEach(
                        (cohort, count) -> {
                            boolean isOfProof = cohort.look > LeakJudge.PROOF;
                            if (isOfProof && left.getOrDefault(cohort, 0.0) < count) {
                                died.add(cohort.size);
                            }
                        });
        int last = looks.count() - 1;
        return !died.isEmpty()
                && left.keySet().stream()
                        .filter(cohort -> cohort.look > LeakJudge.PROOF)
                        .allMatch(cohort -> cohort.look >= last && died.contains(cohort.size));
    }
}
