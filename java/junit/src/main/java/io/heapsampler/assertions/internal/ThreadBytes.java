// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Reads the JVM's count of the calling thread. A recording drops samples of the sampler's own
 * packages, so the reading in core would hide the strings that the JVM makes when it compiles the
 * reading. Here samples show them, and they are set aside. Links only with jdk.management.
 */
final class ThreadBytes {

    private static final ThreadMXBean BEAN = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private ThreadBytes() {}

    /** Returns the bytes; negative if the JVM has stopped counting them. */
    static long read() {
        return BEAN.getCurrentThreadAllocatedBytes();
    }
}
