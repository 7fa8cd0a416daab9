// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the threads that the calling thread, and those that it creates, create. Thread ids only go
 * up, so together with the ids before and after it is known whether all new threads are theirs.
 */
final class Descendants {

    private static final InheritableThreadLocal<@Nullable AtomicLong> COUNT =
            new InheritableThreadLocal<>() {
                @Override
                protected @Nullable AtomicLong childValue(@Nullable AtomicLong parent) {
                    if (parent != null) {
                        parent.incrementAndGet();
                    }
                    return parent;
                }
            };

    private final AtomicLong count = new AtomicLong();
    private long firstId;
    private long lastId;

    /** Begins to count. */
    void begin() {
        firstId = newId();
        COUNT.set(count);
    }

    /** Ends it, in the same thread. */
    void end() {
        COUNT.remove();
        lastId = newId();
    }

    /** Was this thread created meanwhile? */
    boolean mayInclude(long threadId) {
        return threadId > firstId && threadId < lastId;
    }

    /** How many threads others have created meanwhile. */
    long strangers() {
        return Math.max(0, lastId - firstId - 1 - count.get());
    }

    /** How many were counted. */
    long created() {
        return count.get();
    }

    /** What counting costs the creator of a thread: the least of some measurements. */
    static long costOfOne(LongSupplier counter) {
        long cost = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = counter.getAsLong();
            newId();
            long without = counter.getAsLong();
            COUNT.set(new AtomicLong());
            long between = counter.getAsLong();
            newId();
            long with = counter.getAsLong();
            COUNT.remove();
            cost = Math.min(cost, Math.max(0, with - between - (without - before)));
        }
        return cost;
    }

    @SuppressWarnings("deprecation") // Thread.threadId() exists from 19 on, and answers the same.
    private static long newId() {
        return new Thread(() -> {}).getId();
    }
}
