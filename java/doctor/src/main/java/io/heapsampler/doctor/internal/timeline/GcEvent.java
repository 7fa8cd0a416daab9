// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

/**
 * One notification of a collector. Sizes are in bytes, and −1 if the collector does not report
 * them: sizes of the old generation if there is none, and all sizes of pauses of ZGC and
 * Shenandoah, which report them for cycles.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param atMillis when it began, milliseconds since 1970
 * @param durationMillis the duration of the pause or the cycle, see {@link
 *     CollectionKind#isPause()}
 * @param kind the kind of collection
 * @param bean the name of the bean, as the JVM gives it
 * @param action the action, as the JVM gives it
 * @param cause the cause, as the JVM gives it
 * @param heapBefore the heap in use before
 * @param heapAfter the heap in use after
 * @param heapCommitted the heap committed after
 * @param youngAfter the young generation in use after: eden and survivors, or ZGC's and
 *     Shenandoah's young pool
 * @param oldBefore the old generation in use before; that of a heap without generations is the heap
 * @param oldAfter the old generation in use after
 * @param metaspaceBefore metaspace in use before, with the class space
 * @param metaspaceAfter metaspace in use after, with the class space
 */
public record GcEvent(
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
        long metaspaceBefore,
        long metaspaceAfter) {

    /**
     * Returns when it was over.
     *
     * @return milliseconds since 1970, rounded up
     */
    public long endMillis() {
        return atMillis + (long) Math.ceil(durationMillis);
    }
}
