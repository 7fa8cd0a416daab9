// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

/** The bytes that young collections move to the old generation, by the sizes of the pools. */
public final class Promotion {

    private Promotion() {}

    public static boolean isYoung(GcEvent c) {
        return c.kind() == CollectionKind.YOUNG_PAUSE || c.kind() == CollectionKind.YOUNG_CYCLE;
    }

    /** What a young pause copied: what is young after it, and what it promoted. */
    public static double copied(GcEvent c) {
        return (double) Math.max(c.youngAfter(), 0) + Math.max(c.oldAfter() - c.oldBefore(), 0);
    }

    /** Bytes by which a young collection made the old generation larger; 0 for any other one. */
    public static long bytes(GcEvent c) {
        return isYoung(c) ? Math.max(c.oldAfter() - c.oldBefore(), 0) : 0;
    }
}
