// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

/**
 * One notification of a collector. Sizes are in bytes, and −1 if the collector does not report
 * them: sizes of the old generation if there is none, and all sizes of pauses of ZGC and
 * Shenandoah, which report them for cycles.
 *
 * @param atMillis when it began, milliseconds since 1970
 * @param durationMillis of the pause or the cycle, see {@link CollectionKind#isPause()}
 * @param bean the name of the bean, as the JVM gives it, and so {@code action} and {@code cause}
 * @param heapCommitted after it
 * @param youngAfter eden and survivors, or ZGC's and Shenandoah's young pool
 * @param oldBefore that of a heap without generations is the heap, and so {@code oldAfter}
 * @param metaspaceAfter metaspace in use, with the class space
 */
record GcEvent(
        long atMillis,
        double durationMillis,
        CollectionKind kind,
        String bean,
        String action,
        String cause,
        long heapBefore,
        long heapAfter,
        long heapCommitted,
        long youngAfter,
        long oldBefore,
        long oldAfter,
        long metaspaceAfter) {

    /** Returns when it was over, milliseconds since 1970, rounded up. */
    long endMillis() {
        return atMillis + (long) Math.ceil(durationMillis);
    }

    boolean isFull() {
        return kind == CollectionKind.FULL_PAUSE;
    }

    boolean isFullForSpace() {
        return isFull() && Causes.isForSpace(cause);
    }

    boolean isYoung() {
        return kind == CollectionKind.YOUNG_PAUSE || kind == CollectionKind.YOUNG_CYCLE;
    }

    /** Returns by how many bytes a young collection made the old generation larger; otherwise 0. */
    long promoted() {
        return isYoung() ? Math.max(oldAfter - oldBefore, 0) : 0;
    }

    /** Returns what a young pause copied: what is young after it, and what it promoted. */
    double copied() {
        return (double) Math.max(youngAfter, 0) + Math.max(oldAfter - oldBefore, 0);
    }
}
