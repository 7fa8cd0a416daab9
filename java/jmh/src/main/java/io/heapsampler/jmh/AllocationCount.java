// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.jmh;

import io.heapsampler.internal.shared.AllocatedBytes;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's count of the bytes that all threads but the calling one have allocated up to a moment.
 * JMH calls profilers in the thread that starts and stops the iterations, which runs no benchmark.
 *
 * <p>The count is exact. Where the JVM has only counts by thread (early updates of JDK 17), bytes
 * of threads that ended in between are missing from a difference.
 */
final class AllocationCount {

    /** Of all threads but the calling one; 0 where the JVM has only counts by thread. */
    private final long total;

    private final Map<Long, Long> byThread = new HashMap<>();

    private AllocationCount() {
        if (AllocatedBytes.hasTotal()) {
            total = AllocatedBytes.total() - AllocatedBytes.ofThisThread();
            return;
        }
        total = 0;
        long[] ids = AllocatedBytes.threadIds();
        long[] bytes = AllocatedBytes.of(ids);
        long own = idOfThisThread();
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] != own && bytes[i] >= 0) {
                byThread.put(ids[i], bytes[i]);
            }
        }
    }

    @SuppressWarnings("deprecation") // Thread.threadId() exists from 19 on, and answers the same.
    private static long idOfThisThread() {
        return Thread.currentThread().getId();
    }

    /** Returns the count at this moment; null if the JVM does not count. */
    static @Nullable AllocationCount now() {
        return AllocatedBytes.isCounted() ? new AllocationCount() : null;
    }

    /** Returns the bytes allocated between an earlier count and this one, by the same thread. */
    long since(AllocationCount earlier) {
        long bytes = total - earlier.total;
        for (Map.Entry<Long, Long> thread : byThread.entrySet()) {
            bytes += thread.getValue() - earlier.byThread.getOrDefault(thread.getKey(), 0L);
        }
        return bytes;
    }
}
