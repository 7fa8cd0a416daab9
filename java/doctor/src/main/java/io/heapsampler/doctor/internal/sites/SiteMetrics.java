// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import java.util.List;

/**
 * The figures of one site in the terms of garbage collection. A site here is a class and a stack.
 * Each figure has its error; with fewer than ten samples {@link Estimate#hasTooFewSamples()} says
 * so.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param className the class of the objects allocated there
 * @param stack the frames, leaf first
 * @param churn its share of all bytes allocated lately, from 0 to 1
 * @param live bytes that are confirmed live
 * @param held bytes that are live or have not met a collection yet
 * @param reachedOld the promoted bytes, as far as samples show them: bytes that were born after one
 *     collection of the old generation, had survived a collection, and were present, dead or alive,
 *     at the next one of the old generation. 0 under generational ZGC and Shenandoah, where samples
 *     do not show promotion
 * @param promotedDead the part of {@code reachedOld} that was found dead at that next one
 * @param retained bytes live that have survived two collections of the old generation
 * @param young bytes live that have not survived one yet
 * @param birthEpochs between how many different collections the objects were born that are live
 * @param humongous bytes of objects so large that G1 gives each of them regions of its own
 */
public record SiteMetrics(
        String className,
        List<HeapFrame> stack,
        Estimate churn,
        Estimate live,
        Estimate held,
        Estimate reachedOld,
        Estimate promotedDead,
        Estimate retained,
        Estimate young,
        int birthEpochs,
        Estimate humongous) {
    /**
     * Copies the stack.
     *
     * @param className the class of the objects allocated there
     * @param stack the frames
     * @param churn its share of allocation
     * @param live bytes live
     * @param held bytes live or not known to be dead
     * @param reachedOld bytes promoted
     * @param promotedDead bytes promoted and dead
     * @param retained bytes retained
     * @param young bytes live that are young
     * @param birthEpochs epochs of birth
     * @param humongous bytes of humongous objects
     */
    public SiteMetrics {
        stack = List.copyOf(stack);
    }

    /**
     * Returns the share of promoted bytes that was dead at the next collection of the old
     * generation.
     *
     * @return from 0 to 1; not a number if nothing was promoted
     */
    public double prematureShare() {
        return promotedDead.value() / reachedOld.value();
    }
}
