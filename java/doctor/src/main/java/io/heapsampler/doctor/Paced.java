// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Does something now and then, within a budget: not more often than it may, and not more than costs
 * a share of one processor, beside a little credit, for the beginning, when code is cold and
 * everything is expensive, and after each time of little work. To be used by one thread.
 */
final class Paced implements Runnable {

    /** Processor time that may be spent at once beside the share. */
    static final long CREDIT_NANOS = 1_000_000_000L;

    private final Runnable task;
    private final long everyNanos;
    private final double share;
    private final LongSupplier clock;
    private final LongSupplier cpu;
    private final long began;
    private long next;

    /** Processor time; at least what was allowed until the last run. */
    private double spent;

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
    }

    /** Does it, if it is time and the budget allows it. */
    @Override
    public void run() {
        long now = clock.getAsLong();
        double allowed = (now - began) * share;
        spent = Math.max(spent, allowed); // Unspent budget is not saved for later.
        if (now - next < 0 || spent > CREDIT_NANOS + allowed) {
            return;
        }
        next = now + everyNanos;
        long before = cpu.getAsLong();
        try {
            task.run();
        } finally {
            spent += Math.max(0, cpu.getAsLong() - before);
        }
    }
}
