// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.assertions.ThrowingRunnable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Threads that compute and allocate until they are stopped: four, or {@code
 * -Dheapsampler.tests.load}, of which fewer do where other programs keep the processors busy.
 */
final class Load {

    private static final int THREADS = Integer.getInteger("heapsampler.tests.load", 4);

    private static final List<Thread> RUNNING = new ArrayList<>();

    private static final byte[] NOTHING = {};

    private static volatile boolean isOver;
    private static volatile boolean isAllocating;

    private Load() {}

    static void start() {
        isOver = false;
        isAllocating = true;
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(Load::churn, "load " + i);
            thread.setDaemon(true);
            thread.start();
            RUNNING.add(thread);
        }
    }

    static void stop() throws InterruptedException {
        isOver = true;
        for (Thread thread : RUNNING) {
            thread.join();
        }
        RUNNING.clear();
    }

    /** Returns code beside which the load computes only; up to 16 KB of it may be under way. */
    static ThrowingRunnable quietly(ThrowingRunnable code) {
        return () -> {
            isAllocating = false;
            try {
                code.run();
            } finally {
                isAllocating = true;
            }
        };
    }

    private static void churn() {
        double sum = 0;
        while (!isOver) {
            byte[] garbage =
                    isAllocating ? new byte[ThreadLocalRandom.current().nextInt(4_000)] : NOTHING;
            for (int i = 0; i < 2_000; i++) {
                sum += Math.sqrt(i + garbage.length);
            }
            if (sum < 0) {
                Thread.yield();
            }
        }
    }
}
