// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

/** The bytes that young collections move to the old generation, by the sizes of the pools. */
public final class Promotion {

    private Promotion() {}

    /** Returns whether this is a collection of only the young generation. */
    public static boolean isYoung(GcEvent collection) {
        return collection.kind() == CollectionKind.YOUNG_PAUSE
                || collection.kind() == CollectionKind.YOUNG_CYCLE;
    }

    /** Bytes by which a young collection made the old generation larger; 0 for any other one. */
    public static long bytes(GcEvent collection) {
        return isYoung(collection)
                ? Math.max(collection.oldAfter() - collection.oldBefore(), 0)
                : 0;
    }
}
