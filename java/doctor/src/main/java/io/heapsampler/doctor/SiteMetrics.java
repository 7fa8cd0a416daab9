// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import java.util.List;

/**
 * The figures of one site, which is a class and a stack, in terms of garbage collection.
 *
 * @param churn its share of all allocated bytes, from 0 to 1
 * @param live bytes that are confirmed live
 * @param held bytes that are live or have not met a collection yet
 * @param reachedOld promoted bytes, as {@link SiteLives} counts them
 * @param promotedDead the part of them that the next collection of the old generation found dead
 * @param retained live bytes that have survived two collections of the old generation
 * @param birthEpochs between how many different collections the live objects were born
 * @param humongous bytes of objects so large that G1 gives each of them regions of its own
 */
record SiteMetrics(
        String className,
        List<HeapFrame> stack,
        Estimate churn,
        Estimate live,
        Estimate held,
        Estimate reachedOld,
        Estimate promotedDead,
        Estimate retained,
        int birthEpochs,
        Estimate humongous) {

    /** Returns the site as a finding names it, with one of its figures. */
    SiteEvidence evidence(String metric, Estimate estimate, String unit) {
        return new SiteEvidence(className, stack, metric, estimate, unit);
    }

    /** The dead share of the promoted bytes; not a number if nothing was promoted. */
    double prematureShare() {
        return promotedDead.value() / reachedOld.value();
    }
}
