// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

/**
 * How large generations should be for what is live: three times that for the old one, and a quarter
 * more for what floats; the rest is for the young one. Advisory numbers, in bytes.
 */
final class Sizing {

    /** The old generation holds so many times what is live. */
    private static final double OLD_PER_LIVE = 3;

    private static final double FLOATING = 1.25;

    /** Objects die before a collection meets them twice if the young one holds so much more. */
    private static final double YOUNG_PER_LIFE = 2.5;

    private Sizing() {}

    /** The least old generation for so much that is live. */
    static long leastOld(long live) {
        return Math.round(OLD_PER_LIVE * live);
    }

    /** An old generation with room for what floats. */
    static long old(long live) {
        return Math.round(OLD_PER_LIVE * FLOATING * live);
    }

    /** What remains of a heap for the young generation; 0 if nothing does. */
    static long young(long heap, long live) {
        return Math.max(heap - old(live), 0);
    }

    /** The least young generation for objects that live while so much is allocated. */
    static long leastYoung(double lifeBytes) {
        return Math.round(YOUNG_PER_LIFE * lifeBytes);
    }
}
