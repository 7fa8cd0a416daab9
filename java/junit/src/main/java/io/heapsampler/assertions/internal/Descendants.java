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

    private static final InheritableThreadLocal<@Nullable Count> COUNT =
            new InheritableThreadLocal<>() {
                @Override
                protected @Nullable Count childValue(@Nullable Count parent) {
                    if (parent != null) {
                        parent.created(isVirtual());
                    }
                    return parent;
                }
            };

    /** Shared by all descendants. */
    private static final class Count {

        final AtomicLong threads = new AtomicLong();
        volatile boolean hasVirtual;

        void created(boolean isVirtual) {
            threads.incrementAndGet();
            if (isVirtual) {
                hasVirtual = true;
            }
        }
    }

    private static final boolean CAN_BE_VIRTUAL = Runtime.version().feature() >= 21;

    static {
        COUNT.set(new Count());
        newId(); // what counting loads and links at first is not the code's
        COUNT.remove();
    }

    private final Count count = new Count();
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
        return Math.max(0, lastId - firstId - 1 - count.threads.get());
    }

    /** How many were counted. */
    long created() {
        return count.threads.get();
    }

    /** Were virtual ones among them? */
    boolean hasVirtual() {
        return count.hasVirtual;
    }

    /** Is the thread that is being created, by one of our callers, a virtual one? */
    private static boolean isVirtual() {
        return CAN_BE_VIRTUAL
                && StackWalker.getInstance()
                        .walk(
                                frames ->
                                        frames.limit(10)
                                                .anyMatch(
                                                        frame ->
                                                                frame.getClassName()
                                                                        .contains(
                                                                                "VirtualThread")));
    }

    /** What counting costs the creator of a thread: the least of some measurements. */
    static long costOfOne(LongSupplier counter) {
        long cost = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = counter.getAsLong();
            newId();
            long without = counter.getAsLong();
            COUNT.set(new Count());
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
