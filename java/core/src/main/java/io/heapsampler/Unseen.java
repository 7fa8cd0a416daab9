// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Info;
import io.heapsampler.internal.SampleColumns;
import io.heapsampler.internal.SnapshotData;

/**
 * How many bytes a sample of a snapshot would stand for, beyond its own, that just was not taken.
 *
 * <p>An object of s bytes that is sampled with interval T and kept with 2⁻ᴸ stands for at most
 * 2ᴸ·(T + s) bytes, so for T·2ᴸ + s·(2ᴸ − 1) beyond its own. T and L are those in force, or those
 * of any sample that is there. Large objects may be thinned by levels of their own; so only samples
 * that are not larger than the object count, but all up to 16 KiB, below which there are no such
 * levels. Where the chance is not that of an interval, an object stands for s·(1/p − 1) bytes, and
 * for no more than the heaviest sample there.
 */
final class Unseen {

    private static final int KINDS = 64;

    /** A file may hold any number. */
    private static final long MOST_LEVELS = 62;

    /** No object of up to 16 KiB is thinned for its size. */
    private static final int SMALL = 14;

    /** By the binary logarithm of the size: T·2ᴸ. */
    private final double[] interval = new double[KINDS];

    /** Likewise: 2ᴸ − 1. */
    private final double[] thinned = new double[KINDS];

    /** Likewise, of samples by chance: 1/p − 1. */
    private final double[] odds = new double[KINDS];

    /** Of all samples by chance: s·(1/p − 1). */
    private double heaviest;

    private final double oddsInForce;

    Unseen(SnapshotData data) {
        long level = Math.max(0, Math.min(data.info(Info.THINNING), MOST_LEVELS));
        double scale = Math.scalb(1.0, (int) level);
        interval[0] = scale * (double) Math.max(0, data.info(Info.INTERVAL_IN_FORCE));
        thinned[0] = scale - 1;
        boolean isByNumber =
                data.info(Info.STRATEGY) == SamplingStrategy.Kind.ALLOCATIONS.ordinal();
        double mean = (double) Math.max(1, data.info(Info.STRATEGY_AMOUNT));
        oddsInForce = isByNumber ? scale * mean - 1 : 0;
        SampleColumns samples = data.samples;
        for (int i = 0; i < samples.living; i++) {
            add(samples, i);
        }
        for (int k = 1; k < KINDS; k++) {
            interval[k] = Math.max(interval[k], interval[k - 1]);
            thinned[k] = Math.max(thinned[k], thinned[k - 1]);
            odds[k] = Math.max(odds[k], odds[k - 1]);
        }
    }

    private void add(SampleColumns samples, int i) {
        int k = kind((double) samples.size(i));
        if (samples.interval(i) < 0) {
            double own = 1 / samples.chance(i) - 1;
            odds[k] = Math.max(odds[k], own);
            heaviest = Math.max(heaviest, own * (double) samples.size(i));
        } else {
            double scale = Math.scalb(1.0, samples.thinning(i));
            interval[k] = Math.max(interval[k], scale * samples.interval(i));
            thinned[k] = Math.max(thinned[k], scale - 1);
        }
    }

    /** Rounded up, as the levels of large objects are. */
    private static int kind(double size) {
        return Math.max(SMALL, Math.min(Math.getExponent(size - 1) + 1, KINDS - 1));
    }

    /** Returns the bytes for an object of a site where none is larger. */
    double bytes(double size) {
        int k = kind(size);
        double byBytes = interval[k] + size * thinned[k];
        double byChance = Math.min(size * odds[k], heaviest);
        return Math.max(byBytes, Math.max(byChance, size * oddsInForce));
    }
}
