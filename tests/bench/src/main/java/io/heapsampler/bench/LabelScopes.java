// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import com.sun.management.ThreadMXBean;
import io.heapsampler.HeapLabels;
import io.heapsampler.HeapSampler;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * What a scope of labels costs, opened and closed, in processor time of its thread. Arguments:
 * rounds. First without the library, then while sampling at the default interval, in a platform
 * thread and in a virtual one, then with the library and without sampling.
 */
final class LabelScopes {

    private static final int PAIRS = 100_000;
    private static final int WARM_UP_ROUNDS = 100;

    /** Some seconds, since open() looks once a second whether there is a library by now. */
    private static final long UNLOADED_NANOS = 3_000_000_000L;

    private static final HeapLabels LABELS =
            HeapLabels.of("endpoint", "GET /orders").and("tenant", "acme");
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private LabelScopes() {}

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        unloaded();
        measure("unloaded_ns", rounds, Native::threadCpuNanos);
        HeapSampler.start();
        measure("platform_ns", rounds, Native::threadCpuNanos);
        Fork.answer("platform_bytes", bytesOf(() -> pairs(PAIRS)) / PAIRS);
        if (NamedThreads.HAS_VIRTUAL) {
            // It never waits, so it stays on one carrier, whose time is its own.
            Runnable work = () -> measure("virtual_ns", rounds, Native::threadCpuNanos);
            NamedThreads.startVirtual("scopes", work).join();
        }
        HeapSampler.stop();
        measure("stopped_ns", rounds, Native::threadCpuNanos);
    }

    private static void pairs(int count) {
        for (int i = 0; i < count; i++) {
            LABELS.open().close();
        }
    }

    private static void measure(String name, int rounds, LongSupplier clock) {
        for (int i = 0; i < WARM_UP_ROUNDS + rounds; i++) {
            long began = clock.getAsLong();
            pairs(PAIRS);
            double each = (double) (clock.getAsLong() - began) / PAIRS;
            if (i >= WARM_UP_ROUNDS) {
                Fork.answer(name, each);
            }
        }
    }

    /**
     * Over some looks for a library that another copy of the classes has loaded. The first of them
     * loads classes.
     */
    private static void unloaded() {
        bytesOf(() -> pairsFor(UNLOADED_NANOS / 2));
        long[] pairs = new long[1];
        double bytes = bytesOf(() -> pairs[0] = pairsFor(UNLOADED_NANOS));
        Fork.answer("unloaded_pairs", pairs[0]);
        Fork.answer("unloaded_bytes", bytes);
    }

    /** Returns how many pairs there were. */
    private static long pairsFor(long nanos) {
        long count = 0;
        for (long end = System.nanoTime() + nanos; System.nanoTime() - end < 0; count += PAIRS) {
            pairs(PAIRS);
        }
        return count;
    }

    /** Returns what this thread allocates meanwhile. */
    private static double bytesOf(Runnable work) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        work.run();
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
