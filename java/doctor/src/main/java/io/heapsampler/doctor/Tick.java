// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

/**
 * The state of the JVM at one moment, once a second. Sizes are in bytes. Counters start when the
 * JVM starts, so the difference of two ticks belongs to the time between them. The value −1 means
 * that this JVM does not report the figure.
 *
 * <p>If the heap has no room for the objects of a reading, the tick has its own time; the other
 * figures can be those of the previous tick.
 *
 * @param atMillis when, milliseconds since 1970
 * @param allocated bytes allocated by all threads since the JVM began, as JDK 21 and later updates
 *     of 17 count them
 * @param oldUsed the old generation in use; of a heap without generations, the heap
 * @param metaspaceUsed with the class space, as is {@code metaspaceCommitted}
 * @param classesLoaded classes ever loaded
 * @param accounted committed memory that the JVM accounts for: heap, other pools, direct buffers,
 *     stacks (those of Java threads, at 128 KiB each), and the sampler's own; {@code resident −
 *     residentFile − accounted} is a lower bound of the other memory of the process
 * @param safepointSyncMillis milliseconds spent on reaching safepoints of any kind
 * @param residentFile pages of files among the resident memory, which the kernel can drop
 * @param gcCpuMillis processor time of the threads that collect garbage
 * @param gcWaitMillis how long these threads were ready to run and waited for a processor
 * @param unaccounted resident memory that is neither of files, nor of the heap with what the
 *     collector keeps about it, nor else {@code accounted}: the last measurement, which is paced;
 *     {@link #UNMEASURED} if there is none
 */
record Tick(
        long atMillis,
        long allocated,
        long heapUsed,
        long heapCommitted,
        long oldUsed,
        long metaspaceUsed,
        long metaspaceCommitted,
        long classesLoaded,
        long classesUnloaded,
        long directUsed,
        long directCount,
        long resident,
        long accounted,
        double safepointSyncMillis,
        long residentFile,
        double gcCpuMillis,
        double gcWaitMillis,
        long unaccounted) {

    /** The length of a row: the components in this order, those in milliseconds times 1,000. */
    static final int FIELDS = 18;

    /** Differs from each measured value, which can be negative. */
    static final long UNMEASURED = Long.MIN_VALUE;

    static final double MICROS = 1000;

    /** Reads a row. */
    static Tick of(long[] row) {
        return new Tick(
                row[0],
                row[1],
                row[2],
                row[3],
                row[4],
                row[5],
                row[6],
                row[7],
                row[8],
                row[9],
                row[10],
                row[11],
                row[12],
                row[13] / MICROS,
                row[14],
                row[15] / MICROS,
                row[16] / MICROS,
                row[17]);
    }
}
