// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Does something now and then, within a budget: not more often than it may, and not more than costs
 * a share of one processor, beside a little credit, for the beginning, when code is cold and
 * everything is expensive, and after each time of little work. What is {@linkplain #hurry() urgent}
 * does not wait for that, and is not counted. To be run by one thread.
 */
final class Paced implements Runnable {

    /** Processor time that may be spent at once beside the share. */
    static final long CREDIT_NANOS = 1_000_000_000L;

    /** Something urgent is done again after this many times what it cost: 2 % of a processor. */
    private static final long APART = 50;

    private final Runnable task;
    private final long everyNanos;
    private final double share;
    private final LongSupplier clock;
    private final LongSupplier cpu;
    private final long began;
    private long next;

    /** Processor time without urgent runs; at least what was allowed until the last run. */
    private double spent;

    private volatile boolean isUrgent;
    private long nextUrgent;

    Paced(Runnable task, long everyMillis, double share) {
        this(
                task,
                everyMillis,
                share,
                System::nanoTime,
                ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime);
    }

    Paced(Runnable task, long everyMillis, double share, LongSupplier clock, LongSupplier cpu) {
        this.task = task;
        this.everyNanos = everyMillis * 1_000_000;
        this.share = share;
        this.clock = clock;
        this.cpu = cpu;
        this.began = clock.getAsLong();
        this.next = began;
        this.nextUrgent = began;
    }

    /** Makes the next run urgent. May be called by any thread. */
    void hurry() {
        isUrgent = true;
    }

    /** Does it, if it is time and the budget allows it, or if it is urgent. */
    @Override
    public void run() {
        long now = clock.getAsLong();
        double allowed = (now - began) * share;
        spent = Math.max(spent, allowed); // Unspent budget is not saved for later.
        boolean isDue = now - next >= 0 && spent <= CREDIT_NANOS + allowed;
        if (!isDue && !(isUrgent && now - nextUrgent >= 0)) {
            return;
        }
        isUrgent = false;
        next = now + everyNanos;
        long before = cpu.getAsLong();
        try {
            task.run();
        } finally {
            long cost = Math.max(0, cpu.getAsLong() - before);
            spent += isDue ? cost : 0; // Urgent runs have their own limit.
            nextUrgent = now + APART * cost;
        }
    }
}
