// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.internal.shared.AllocatedBytes;
import java.util.HashMap;
import java.util.Map;

/**
 * The bytes that all threads have allocated. JDK 21, and later updates of 17, count them. Before
 * that it is the sum over the existing threads, each read once a second: bytes that a thread
 * allocates after its last reading are lost. Not safe for use by many threads.
 */
final class AllAllocated {

    private final boolean hasTotal;

    /** The bytes of each thread at its last reading; only where there is no total. */
    private Map<Long, Long> last = new HashMap<>();

    private long sum;

    AllAllocated(boolean useTotal) {
        this.hasTotal = useTotal && AllocatedBytes.hasTotal();
        for (int i = 0; hasTotal && i < 200; i++) {
            AllocatedBytes.total(); // The JDK makes a class for the handle after 127 calls.
        }
    }

    /** Returns bytes since the JVM began, −1 if the JVM does not count them. */
    long now() {
        return hasTotal ? AllocatedBytes.total() : AllocatedBytes.isCounted() ? sum() : -1;
    }

    private long sum() {
        long[] ids = AllocatedBytes.threadIds();
        long[] bytes = AllocatedBytes.of(ids);
        Map<Long, Long> now = new HashMap<>(ids.length * 2);
        long more = 0;
        for (int i = 0; i < ids.length; i++) {
            if (bytes[i] >= 0) {
                more += bytes[i] - last.getOrDefault(ids[i], 0L);
                now.put(ids[i], bytes[i]);
            }
        }
        last = now; // Both or none, should memory run out on the way.
        sum += more;
        return sum;
    }
}
