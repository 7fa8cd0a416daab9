// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * The time that runs took, as a limit on them has to count it. A busy machine makes each run wait,
 * and fewer runs would tell less, so waiting counts a quarter: a run counts its thread's processor
 * time, or a quarter of the time that passed if that is more. Where the JVM does not report the
 * processor time, as on a virtual thread, all of the time that passed counts.
 *
 * <p>Not thread-safe.
 */
final class RunTime {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final int WAITING = 4;

    private long beginNanos;
    private long beginCpuNanos;
    private long passed;
    private long counted;

    /** A run begins on this thread. */
    void begin() {
        beginCpuNanos = cpuNanos();
        beginNanos = System.nanoTime();
    }

    /** The run has ended, on the same thread. */
    void end() {
        long nanos = System.nanoTime() - beginNanos;
        passed += nanos;
        long cpuNanos = beginCpuNanos < 0 ? nanos : cpuNanos() - beginCpuNanos;
        counted += Math.min(nanos, Math.max(cpuNanos, nanos / WAITING));
    }

    /** Returns the nanoseconds that passed in all runs. */
    long passed() {
        return passed;
    }

    /** Returns the nanoseconds that count: no more than passed, and no less than a quarter. */
    long counted() {
        return counted;
    }

    private static long cpuNanos() {
        try {
            return THREADS.getCurrentThreadCpuTime();
        } catch (UnsupportedOperationException e) {
            return -1;
        }
    }
}
