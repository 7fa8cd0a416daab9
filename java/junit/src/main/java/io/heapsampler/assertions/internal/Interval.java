// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.internal.shared.ByteText;

/** Which interval a limit needs: the relative error of an estimate is about √(interval / limit). */
public final class Interval {

    /** 4,000 samples at the limit: a standard error of 1.6 %, in milliseconds. */
    private static final long SAMPLES = 4_000;

    /** Below, recording everything costs little more. */
    private static final long LEAST = 64;

    /**
     * Below, the JVM's share of a first run matters, and recording every allocation takes little.
     */
    static final long EXACT = 4L * 1024 * 1024;

    private static final long MOST = 512 * 1024;

    /** Fewer samples at the limit decide hardly anything: 11 can be missed. See {@link Bounds}. */
    private static final long FEWEST = 16;

    /** More brings nothing. */
    private static final long COARSEST = 256L * 1024 * 1024;

    private Interval() {}

    /** The author's interval if it can decide about the limit, else one that the limit needs. */
    static long of(long limit, Settings settings) {
        long wanted = settings.interval();
        if (wanted >= 0 && decides(wanted, limit)) {
            return wanted;
        }
        long interval = Math.min(limit / SAMPLES, MOST);
        return interval < LEAST ? 0 : interval;
    }

    /**
     * The same for allocated bytes: up to a limit of a few megabytes every allocation is recorded,
     * so that those of the JVM itself are recognised.
     */
    static long ofAllocated(long limit, Settings settings) {
        return settings.interval() < 0 && isExact(limit) ? 0 : of(limit, settings);
    }

    /** Is everything recorded for such a limit? */
    static boolean isExact(long limit) {
        return limit <= EXACT;
    }

    /** The coarsest that can decide, where a finer one has lost samples. */
    static long coarsest(double limit) {
        return (long) Math.min(limit / FEWEST, COARSEST);
    }

    /** Without any sample there may be 11 intervals, which have to be less than the limit. */
    static boolean decides(long interval, long limit) {
        return interval <= limit / FEWEST;
    }

    /**
     * Checks that an interval can decide about a limit.
     *
     * @throws IllegalArgumentException if it cannot
     */
    public static void check(long interval, long limit) {
        if (interval > 0 && !decides(interval, limit)) {
            throw new IllegalArgumentException(
                    "the limit of "
                            + ByteText.exact(limit)
                            + " is below the resolution of an interval of "
                            + ByteText.exact(interval)
                            + ": the relative error is about "
                            + Math.round(100 * Math.sqrt((double) interval / Math.max(1, limit)))
                            + " %. Omit interval, and it is chosen from the limit; or use at most "
                            + ByteText.exact(limit / FEWEST)
                            + ".");
        }
    }
}
