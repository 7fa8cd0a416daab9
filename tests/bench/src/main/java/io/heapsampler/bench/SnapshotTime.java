// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * How long a snapshot of 100,000 live samples over 10,000 stacks takes, and how long it delays the
 * callbacks of a thread that allocates meanwhile. Arguments: snapshots to time; snapshots to watch.
 *
 * <p>Callbacks are delayed by the scheduler and by locks of the JVM as well, which all threads that
 * are sampled meet. Those during which the scheduler took the processor away are left out, and each
 * snapshot is compared with a window of the same length in which the thread that takes snapshots
 * only asks for the status.
 */
final class SnapshotTime {

    private static final int DEPTH = 32;
    private static final int STACKS = 10_000;
    private static final int SAMPLES_PER_STACK = 10;
    private static final int SAMPLES = STACKS * SAMPLES_PER_STACK;
    private static final int WARM_UP = 20;

    // Windows in which callbacks are noted.
    private static final int NONE = 0;
    private static final int WITH = 1;
    private static final int WITHOUT = 2;

    private final Object[] kept = new Object[SAMPLES];
    private int count;
    private final DeepCalls calls =
            DeepCalls.ofDepth(DEPTH, this::keepSome, these -> these.call(0));

    private void keepSome() {
        for (int i = 0; i < SAMPLES_PER_STACK; i++) {
            kept[count++] = new byte[16];
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Native.watchNextLibrary();
        SnapshotTime time = new SnapshotTime();
        time.fill();
        time.snapshots(Integer.parseInt(arguments[0]));
        time.watch(Integer.parseInt(arguments[1]));
        HeapSampler.stop();
        if (time.kept[SAMPLES - 1] == null) {
            throw new IllegalStateException("only " + time.count + " objects");
        }
    }

    private void fill() {
        HeapSampler.start(SamplerOptions.builder().interval(0).maxTracked(131_072).build());
        for (int pattern = 0; pattern < STACKS; pattern++) {
            calls.call(pattern);
        }
        HeapSampler.setInterval(512 * 1024);
    }

    private void snapshots(int number) {
        double[] total = new double[number];
        HeapSnapshot last = HeapSampler.snapshot();
        for (int i = -WARM_UP; i < number; i++) {
            long began = System.nanoTime();
            last = HeapSampler.snapshot();
            double took = (System.nanoTime() - began) / 1e6;
            if (i == -WARM_UP) {
                Fork.answer("second_ms", took);
            } else if (i >= 0) {
                total[i] = took;
            }
        }
        Fork.answer("samples", last.samples().size());
        Fork.answer("sites", last.sites().size());
        Fork.answer("median_ms", Statistics.median(total));
        Fork.answer("max_ms", Statistics.quantile(1, total));
    }

    private void watch(int pairs) throws InterruptedException {
        HeapSampler.setInterval(0);
        Allocator allocator = new Allocator();
        Thread thread = new Thread(allocator, "allocator");
        thread.start();
        double[] took = new double[pairs];
        long disturbed = 0;
        for (int i = 0; i < pairs; i++) {
            forgetGarbage();
            long collections = collections();
            long began = System.nanoTime();
            Native.window(WITH);
            HeapSampler.snapshot();
            Native.window(NONE);
            long nanos = System.nanoTime() - began;
            took[i] = nanos / 1e6;
            disturbed += collections() - collections;
            forgetGarbage();
            collections = collections();
            began = System.nanoTime();
            Native.window(WITHOUT);
            while (System.nanoTime() - began < nanos) {
                HeapSampler.status(); // allocates, as a snapshot does
            }
            Native.window(NONE);
            disturbed += collections() - collections;
        }
        allocator.isDone = true;
        thread.join();
        Fork.answer("collections", disturbed);
        Fork.answer("watched_median_ms", Statistics.median(took));
        report(Native.callbacks(WITH), "with");
        report(Native.callbacks(WITHOUT), "without");
    }

    private static void report(int[] notes, String name) {
        double[] all = new double[notes.length];
        double longestOwn = 0;
        int waits = 0;
        int preempted = 0;
        int overOwn = 0;
        for (int i = 0; i < notes.length; i++) {
            all[i] = (notes[i] & 0x3FFF_FFFF) / 1e3;
            waits += notes[i] >>> 30 & 1;
            preempted += notes[i] >>> 31;
            if (notes[i] >>> 31 == 0) {
                longestOwn = Math.max(longestOwn, all[i]);
                overOwn += all[i] > 100 ? 1 : 0;
            }
        }
        Fork.answer(name + "_callbacks", notes.length);
        Fork.answer(name + "_median_us", Statistics.median(all));
        Fork.answer(name + "_p999_us", Statistics.quantile(0.999, all));
        Fork.answer(name + "_max_us", Statistics.quantile(1, all));
        Fork.answer(name + "_preempted", preempted);
        Fork.answer(name + "_waited", waits);
        Fork.answer(name + "_own_over_100us", overOwn);
        Fork.answer(name + "_own_max_us", longestOwn);
    }

    /**
     * Forgets what the allocator has left, so that the table never overflows and a window needs no
     * collection.
     */
    private static void forgetGarbage() throws InterruptedException {
        System.gc();
        for (int i = 0; i < 200 && HeapSampler.status().tracked() > SAMPLES + 2_000; i++) {
            Thread.sleep(1);
        }
    }

    private static long collections() {
        List<GarbageCollectorMXBean> beans = ManagementFactory.getGarbageCollectorMXBeans();
        return beans.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    /** Allocates an object every now and then, few enough that the table never overflows. */
    private static final class Allocator implements Runnable {

        private static final int PAUSE_NANOS = 10_000;

        volatile boolean isDone;
        private volatile Object sink = this;

        @Override
        public void run() {
            Native.watchThread();
            long now = System.nanoTime();
            while (!isDone) {
                sink = new byte[16];
                for (long next = now + PAUSE_NANOS; now < next; ) {
                    now = System.nanoTime();
                }
            }
        }
    }
}
