// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

/**
 * Recommended sizes of the generations, in bytes: the old one gets three times the live set, and a
 * quarter more for floating garbage; the young one the rest.
 */
final class Sizing {

    private static final double OLD_PER_LIVE = 3;
    private static final double FLOATING = 1.25;

    /** Per bytes allocated in an object's life: then it dies before a second collection. */
    private static final double YOUNG_PER_LIFE = 2.5;

    private Sizing() {}

    static long leastOld(long live) {
        return Math.round(OLD_PER_LIVE * live);
    }

    /** With room for floating garbage. */
    static long old(long live) {
        return Math.round(OLD_PER_LIVE * FLOATING * live);
    }

    /** The rest of a heap; 0 if there is none. */
    static long young(long heap, long live) {
        return Math.max(heap - old(live), 0);
    }

    static long leastYoung(double lifeBytes) {
        return Math.round(YOUNG_PER_LIFE * lifeBytes);
    }
}
