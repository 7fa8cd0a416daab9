// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Allocates known amounts. */
final class Allocator {

    /** Where objects go so that no compiler can do without them. */
    static volatile Object sink;

    private static final int HEADER = 16;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocator() {}

    /**
     * Returns an array that takes this many bytes of the heap: 16 at least, and a multiple of 8.
     */
    static byte[] array(int bytes) {
        return new byte[bytes - HEADER];
    }

    /** Allocates arrays and keeps none. */
    static void garbage(long count, int bytes) {
        for (long i = 0; i < count; i++) {
            sink = array(bytes);
        }
        sink = null;
    }

    /** Returns the bytes that this thread has allocated so far. Allocates nothing. */
    static long allocatedBytes() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
