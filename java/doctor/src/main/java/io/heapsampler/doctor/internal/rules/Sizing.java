// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

/**
 * Recommended sizes of the generations for a live set. The old generation gets three times the live
 * set, and a quarter more for floating garbage. The young one gets the rest. Advisory numbers, in
 * bytes.
 */
final class Sizing {

    /** The size of the old generation as a multiple of the live set. */
    private static final double OLD_PER_LIVE = 3;

    private static final double FLOATING = 1.25;

    /**
     * The size of the young generation as a multiple of the bytes allocated in an object's life. In
     * a young generation of this size, objects die before a second collection.
     */
    private static final double YOUNG_PER_LIFE = 2.5;

    private Sizing() {}

    /** Returns the minimum old generation for a live set. */
    static long leastOld(long live) {
        return Math.round(OLD_PER_LIVE * live);
    }

    /** Returns an old generation with room for floating garbage. */
    static long old(long live) {
        return Math.round(OLD_PER_LIVE * FLOATING * live);
    }

    /** Returns the rest of a heap for the young generation; 0 if there is none. */
    static long young(long heap, long live) {
        return Math.max(heap - old(live), 0);
    }

    /** Returns the minimum young generation for objects with a lifetime in allocated bytes. */
    static long leastYoung(double lifeBytes) {
        return Math.round(YOUNG_PER_LIFE * lifeBytes);
    }
}
