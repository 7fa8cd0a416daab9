// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Allocations, and exact figures about them. */
final class Work {

    /** Where objects go so that no compiler can do without them. */
    static volatile Object sink;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** More than a step drawn with the JVM's default interval can be: 18 times that interval. */
    private static final int LONGEST_STEP = 10 * 1024 * 1024;

    private static final int CHUNK = 64 * 1024;

    private Work() {}

    /** Returns the bytes that this thread has allocated so far. Allocates nothing. */
    static long allocatedBytes() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /** Returns the nanoseconds that this thread has run. */
    static long cpuNanos() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /**
     * Returns the size of an object as the JVM counts it: the least of several, since the JVM may
     * allocate for itself on this thread meanwhile.
     */
    static long sizeOf(Runnable allocation) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = allocatedBytes();
            allocation.run();
            least = Math.min(least, allocatedBytes() - before);
        }
        return least;
    }

    /**
     * Retires the buffers of all threads. The rest of a buffer when sampling begins holds no sample
     * points, and a buffer may be tens of megabytes.
     */
    static void retireBuffers() {
        System.gc();
    }

    /** Passes the sample point of this thread that was drawn before sampling began. */
    static void passOldSamplePoint() {
        for (int done = 0; done < LONGEST_STEP; done += CHUNK) {
            sink = new byte[CHUNK];
        }
        sink = null;
    }

    /** Returns the line after the one this is called from. */
    static int nextLine() {
        return 1
                + StackWalker.getInstance()
                        .walk(frames -> frames.skip(1).findFirst().orElseThrow())
                        .getLineNumber();
    }
}
