// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import io.heapsampler.doctor.Diagnosis;

/**
 * The state of the JVM at one moment, once a second. Sizes are in bytes. Counters start when the
 * JVM starts, so the difference of two ticks belongs to the time between them. The value −1 means
 * that this JVM does not report the figure.
 *
 * <p>If the heap has no room for a tick, the tick still contains its time, the heap and the
 * counters. {@code allocated} is then −1 on a JVM without a total for all threads. The other values
 * are those of the previous tick. {@link Diagnosis#notes()} of a running doctor reports how often
 * this happened.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param atMillis when, milliseconds since 1970
 * @param allocated bytes allocated by all threads since the JVM began
 * @param heapUsed the heap in use
 * @param heapCommitted the heap committed
 * @param oldUsed the old generation in use
 * @param metaspaceUsed metaspace in use, with the class space
 * @param metaspaceCommitted metaspace committed, with the class space
 * @param classesLoaded classes ever loaded
 * @param classesUnloaded classes ever unloaded
 * @param directUsed memory of direct buffers
 * @param directCount direct buffers
 * @param mappedUsed memory of mapped buffers
 * @param resident resident memory of the process
 * @param accounted committed memory that the JVM accounts for: heap, other pools, direct buffers,
 *     stacks (those of Java threads, at 128 KiB each), and the sampler's own; {@code resident −
 *     residentFile − accounted} is a lower bound of the other memory of the process
 * @param pendingFinalization objects that wait for their finalizers
 * @param safepointMillis milliseconds that the application was paused at safepoints of any kind
 * @param safepointSyncMillis milliseconds of it, or before it, spent on reaching safepoints
 * @param cpuMillis processor time of the process
 * @param residentFile pages of files among the resident memory, such as those of mapped buffers,
 *     which the kernel can drop at any time
 * @param gcCpuMillis processor time of the threads that collect garbage
 * @param gcWaitMillis how long these threads were ready to run and waited for a processor
 */
public record Tick(
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
        long mappedUsed,
        long resident,
        long accounted,
        long pendingFinalization,
        double safepointMillis,
        double safepointSyncMillis,
        double cpuMillis,
        long residentFile,
        double gcCpuMillis,
        double gcWaitMillis) {}
