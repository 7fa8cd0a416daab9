// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerStatus;
import io.heapsampler.internal.NativeEngine;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A thousand threads that begin to allocate at once, with the default budget. Arguments: the
 * interval that is requested; seconds.
 */
final class BurstFork {

    private static final int THREADS = 1_000;
    private static final int STACK_BYTES = 128 * 1024;
    private static final int OBJECTS = 1_000;
    private static final int OBJECT_BYTES = 100;
    private static final int PAUSE_NANOS = 20_000_000; // else the sweeper and this program starve
    private static final int IDLE_MILLIS = 3_000;
    private static final int POLL_MILLIS = 50;
    private static final int WINDOW_NANOS = 500_000_000;

    // Positions in the figures of the engine, as in SamplerStatus.
    private static final int SAMPLES = 7;
    private static final int MEASURED_NANOS = 8;
    private static final int MEASURED = 9;
    private static final NativeEngine ENGINE = new NativeEngine();

    private static volatile boolean isOver;
    private static volatile Object sink;

    private BurstFork() {}

    public static void main(String[] arguments) throws InterruptedException {
        HeapSampler.start(SamplerOptions.builder().interval(Long.parseLong(arguments[0])).build());
        CountDownLatch gate = new CountDownLatch(1);
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(null, () -> work(gate), "burst-" + i, STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.currentThread().setPriority(Thread.MAX_PRIORITY);
        Thread.sleep(IDLE_MILLIS);
        gate.countDown();
        watch(Integer.parseInt(arguments[1]));
        isOver = true;
    }

    private static void work(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            return;
        }
        while (!isOver) {
            for (int i = 0; i < OBJECTS; i++) {
                sink = new byte[OBJECT_BYTES];
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /**
     * What was spent since the last call: by samples, from their number and the mean cost of those
     * that were measured, and by the process.
     */
    private static final class Window {

        private long[] figures = ENGINE.inForce().figures();
        private long cpu = Native.processCpuNanos();

        double share() {
            long[] now = ENGINE.inForce().figures();
            long newCpu = Native.processCpuNanos();
            long measured = now[MEASURED] - figures[MEASURED];
            double cost = (double) (now[MEASURED_NANOS] - figures[MEASURED_NANOS]) / measured;
            double samples = now[SAMPLES] - figures[SAMPLES];
            double share = measured == 0 ? 0 : samples * cost / (newCpu - cpu);
            figures = now;
            cpu = newCpu;
            return share;
        }
    }

    /**
     * Answers the share in each window, and when {@code status()}, which covers several seconds,
     * last reported a share above the budget.
     */
    private static void watch(int seconds) throws InterruptedException {
        long began = System.nanoTime();
        double reported = 0;
        double greatest = 0;
        Window window = new Window();
        for (long windowEnd = began + WINDOW_NANOS;
                windowEnd - began <= seconds * 1_000_000_000L; ) {
            Thread.sleep(POLL_MILLIS);
            SamplerStatus now = HeapSampler.status();
            double passed = (System.nanoTime() - began) / 1e9;
            greatest = Math.max(greatest, now.overhead());
            reported = now.overhead() > now.maxOverhead() ? passed : reported;
            if (System.nanoTime() - windowEnd >= 0) {
                Fork.answer("window_share", window.share());
                Fork.answer("window_end", passed);
                windowEnd += WINDOW_NANOS;
            }
        }
        SamplerStatus last = HeapSampler.status();
        Fork.answer("reported_s", reported);
        Fork.answer("greatest", greatest);
        Fork.answer("interval", last.intervalInForce());
        Fork.answer("samples", last.samples());
        Fork.answer("cost_ns", last.meanSampleCost().toNanos());
    }
}
