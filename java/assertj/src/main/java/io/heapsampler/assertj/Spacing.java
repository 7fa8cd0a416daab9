// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.shared.Normal;
import org.jspecify.annotations.Nullable;

/**
 * How far samples are apart, and so what may go unseen between them.
 *
 * @param interval bytes between samples; negative if it is not known, or means nothing
 * @param other by what samples are chosen, if not by bytes
 * @param unseenObjects how many objects may go unseen with that other strategy
 */
record Spacing(long interval, @Nullable SamplingStrategy other, double unseenObjects) {

    static final Spacing UNKNOWN = bytes(-1);

    /** The square of the 95 % quantile of the normal distribution. */
    static final double Z2 = Normal.Z95 * Normal.Z95;

    /** The smallest object of any JVM. */
    private static final int SMALLEST = 8;

    static Spacing bytes(long interval) {
        return new Spacing(interval, null, Double.POSITIVE_INFINITY);
    }

    static Spacing of(HeapSnapshot snapshot) {
        SamplingStrategy strategy = snapshot.strategy();
        return switch (strategy.kind()) {
            case BYTES -> bytes(snapshot.interval());
            case ALLOCATIONS ->
                    strategy.mean() == 1
                            ? bytes(0)
                            : new Spacing(-1, strategy, Z2 * strategy.mean());
            case TIME -> new Spacing(-1, strategy, Double.POSITIVE_INFINITY);
        };
    }

    /** Returns that of which less is known. */
    Spacing or(Spacing that) {
        if (other == null && that.other == null) {
            return bytes(
                    Math.min(interval, that.interval) < 0 ? -1 : Math.max(interval, that.interval));
        }
        if (other == null || that.other == null) {
            return other == null ? that : this;
        }
        return unseenObjects >= that.unseenObjects ? this : that;
    }

    /** Returns that of the samples that are tracked, where only a part is. */
    Spacing thinned() {
        return other == null ? UNKNOWN : new Spacing(-1, other, Double.POSITIVE_INFINITY);
    }

    boolean isExact() {
        return interval == 0;
    }

    /**
     * Returns how much may have been there that no sample has hit. With T bytes between samples, X
     * bytes go unseen with the chance exp(−X/T), so up to 3.84 T may (the bound of the score
     * interval for no sample, a little more than ln 40 = 3.69); with one in n allocations, up to
     * 3.84 n objects may. Nothing bounds the size of these, and nothing what a cap refuses.
     */
    double unseen(Measure measure, long samples) {
        if (other != null) {
            boolean isObjects = !measure.isBytes && measure != Measure.ANY;
            return isObjects ? unseenObjects : Double.POSITIVE_INFINITY;
        }
        if (interval < 0) {
            return samples == 0 ? Double.POSITIVE_INFINITY : 0;
        }
        return Z2 * interval / (measure.isBytes ? 1 : SMALLEST);
    }
}
