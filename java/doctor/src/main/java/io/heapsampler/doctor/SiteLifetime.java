// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import java.util.List;

/**
 * How long the objects of one site live. Those that are still alive are taken into account (Kaplan
 * and Meier). Under generational ZGC deaths are only seen in major collections, so lives look
 * longer than they are.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param className the class of the objects allocated there
 * @param stack the frames, leaf first
 * @param churn its share of all bytes allocated, from 0 to 1
 * @param medianMillis the median lifetime in milliseconds, to a power of two; −1 if more than half
 *     of the objects are still alive
 * @param survivingOne the share that survives one collection, from 0 to 1; not a number if that is
 *     not known
 * @param survivingError its standard error
 * @param reaching the share of objects that reach 0, 1, 2, 4, 8, … ms; NaN beyond the watched time
 * @param reachingCollections the share that survives 0, 1, 2, 3, … collections; NaN beyond the
 *     watched number
 */
public record SiteLifetime(
        String className,
        List<HeapFrame> stack,
        Estimate churn,
        long medianMillis,
        double survivingOne,
        double survivingError,
        List<Double> reaching,
        List<Double> reachingCollections) {
    /**
     * Copies the lists.
     *
     * @param className the class of the objects allocated there
     * @param stack the frames
     * @param churn its share of allocation
     * @param medianMillis the median
     * @param survivingOne the share that survives one collection
     * @param survivingError its standard error
     * @param reaching the survival curve by time
     * @param reachingCollections the survival curve by collections
     */
    public SiteLifetime {
        stack = List.copyOf(stack);
        reaching = List.copyOf(reaching);
        reachingCollections = List.copyOf(reachingCollections);
    }
}
