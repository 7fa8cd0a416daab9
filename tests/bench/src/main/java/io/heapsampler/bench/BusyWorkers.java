// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Threads that allocate and compute as fast as they can. */
final class BusyWorkers implements AutoCloseable {

    private static final int KEPT = 1_000;
    private static final int LONGS = 64;
    private static final int BATCH = 100;

    private final AtomicLong done = new AtomicLong();
    private volatile boolean isOver;

    BusyWorkers(int count) {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(this::work, "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
    }

    /**
     * Returns how much they do in a second while something is there, which is looked for every 20
     * ms; 0 if it never is.
     */
    double duringLife(BooleanSupplier isThere, Runnable other) throws InterruptedException {
        Thread thread = new Thread(other, "beside");
        thread.start();
        long before = 0;
        long began = 0;
        double rate = 0;
        while (thread.isAlive()) {
            long now = System.nanoTime();
            long doneNow = done.get();
            if (isThere.getAsBoolean()) {
                before = began == 0 ? doneNow : before;
                rate = began == 0 ? 0 : (doneNow - before) * 1e9 / (now - began);
                began = began == 0 ? now : began;
            }
            Thread.sleep(20);
        }
        return rate;
    }

    /** Returns how much they do in a second for a time. */
    double during(Duration time) throws InterruptedException {
        long before = done.get();
        long began = System.nanoTime();
        Thread.sleep(time.toMillis());
        return (done.get() - before) * 1e9 / (System.nanoTime() - began);
    }

    private void work() {
        long[][] kept = new long[KEPT][];
        long mix = Thread.currentThread().getName().hashCode();
        for (int i = 0; !isOver; i++) {
            long[] numbers = new long[LONGS];
            for (int j = 0; j < LONGS; j++) {
                mix = mix * 6_364_136_223_846_793_005L + 1;
                numbers[j] = mix;
            }
            kept[(int) ((mix >>> 40) % KEPT)] = numbers;
            if (i % BATCH == 0) {
                done.addAndGet(BATCH);
            }
        }
    }

    @Override
    public void close() {
        isOver = true;
    }
}
