// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import com.sun.management.ThreadMXBean;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerStatus;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * How long a snapshot takes, how many bytes, and how long it delays the callbacks of a thread that
 * allocates meanwhile. Arguments: snapshots to time; snapshots to watch; stacks; live samples of
 * each stack; {@code scrape} to watch scrapes over HTTP instead.
 *
 * <p>Beside snapshots every allocation is sampled. A scrape itself allocates half a million
 * objects, so that beside scrapes those of 4 KiB are sampled, of which the watched thread makes
 * many.
 *
 * <p>Callbacks are delayed by the scheduler and by locks of the JVM as well, which all threads that
 * are sampled meet. Those during which the scheduler took the processor away are left out, and each
 * snapshot is compared with a window of the same length in which the thread that takes snapshots
 * only requests the status.
 */
final class SnapshotTime {

    private static final int DEPTH = 32;
    private static final int WARM_UP = 20;

    // Windows in which callbacks are noted.
    private static final int NONE = 0;
    private static final int WITH = 1;
    private static final int WITHOUT = 2;

    private final int stacks;
    private final int samplesPerStack;
    private final Object[] kept;
    private int count;
    private final DeepCalls calls =
            DeepCalls.ofDepth(DEPTH, this::keepSome, these -> these.call(0));

    private SnapshotTime(int stacks, int samplesPerStack) {
        this.stacks = stacks;
        this.samplesPerStack = samplesPerStack;
        this.kept = new Object[stacks * samplesPerStack];
    }

    private void keepSome() {
        for (int i = 0; i < samplesPerStack; i++) {
            kept[count++] = new byte[16];
        }
    }

    public static void main(String[] arguments) throws Exception {
        Native.watchNextLibrary();
        SnapshotTime time =
                new SnapshotTime(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        time.fill();
        time.snapshots(Integer.parseInt(arguments[0]));
        int pairs = Integer.parseInt(arguments[1]);
        if (arguments.length > 4 && arguments[4].equals("scrape")) {
            try (Scraped scraped = new Scraped()) {
                time.watch(pairs, scraped::scrape, 4096, new Allocator(4096, 20_000));
            }
        } else {
            time.watch(pairs, HeapSampler::snapshot, 0, new Allocator(16, 10_000));
        }
        HeapSampler.stop();
        if (time.kept[time.kept.length - 1] == null) {
            throw new IllegalStateException("only " + time.count + " objects");
        }
    }

    private void fill() {
        HeapSampler.start(
                SamplerOptions.builder()
                        .interval(0)
                        .maxTracked(131_072)
                        .maxStacks(131_072)
                        .maxSites(131_072)
                        .maxNames(131_072)
                        .build());
        for (int pattern = 0; pattern < stacks; pattern++) {
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
        long before = allocated();
        HeapSampler.snapshot();
        Fork.answer("java_bytes", allocated() - before);
        SamplerStatus status = HeapSampler.status();
        Fork.answer("native_bytes", status.memoryUsed());
        Fork.answer("native_peak_bytes", status.memoryPeak());
        Fork.answer("samples", last.samples().size());
        Fork.answer("sites", last.sites().size());
        Fork.answer("median_ms", Statistics.median(total));
        Fork.answer("max_ms", Statistics.quantile(1, total));
    }

    private static long allocated() {
        ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private void watch(int pairs, Runnable look, int interval, Allocator allocator)
            throws InterruptedException {
        HeapSampler.setInterval(interval);
        Thread thread = new Thread(allocator, "allocator");
        thread.start();
        double[] took = new double[pairs];
        long disturbed = 0;
        for (int i = 0; i < pairs; i++) {
            forgetGarbage();
            long collections = collections();
            long began = System.nanoTime();
            Native.window(WITH);
            look.run();
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
        double[] all = new double[Math.max(notes.length, 1)]; // 0 if none fell into a window
        double longestOwn = 0;
        int waits = 0;
        int preempted = 0;
        int overOwn = 0;
        int overWaited = 0;
        double total = 0;
        for (int i = 0; i < notes.length; i++) {
            all[i] = (notes[i] & 0x3FFF_FFFF) / 1e3;
            waits += notes[i] >>> 30 & 1;
            preempted += notes[i] >>> 31;
            total += all[i];
            if (notes[i] >>> 31 == 0) {
                longestOwn = Math.max(longestOwn, all[i]);
                overOwn += all[i] > 100 ? 1 : 0;
                overWaited += all[i] > 100 ? notes[i] >>> 30 & 1 : 0;
            }
        }
        Fork.answer(name + "_callbacks", notes.length);
        Fork.answer(name + "_median_us", Statistics.median(all));
        Fork.answer(name + "_p999_us", Statistics.quantile(0.999, all));
        Fork.answer(name + "_max_us", Statistics.quantile(1, all));
        Fork.answer(name + "_preempted", preempted);
        Fork.answer(name + "_waited", waits);
        Fork.answer(name + "_own_over_100us", overOwn);
        Fork.answer(name + "_waited_over_100us", overWaited);
        Fork.answer(name + "_own_max_us", longestOwn);
        Fork.answer(name + "_seconds", total / 1e6);
    }

    /**
     * Forgets what the allocator has left, so that the table never overflows and a window needs no
     * collection.
     */
    private void forgetGarbage() throws InterruptedException {
        System.gc();
        for (int i = 0; i < 200 && HeapSampler.status().tracked() > kept.length + 2_000; i++) {
            Thread.sleep(1);
        }
    }

    private static long collections() {
        List<GarbageCollectorMXBean> beans = ManagementFactory.getGarbageCollectorMXBeans();
        return beans.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    /** Allocates an object every now and then, few enough that the table never overflows. */
    private static final class Allocator implements Runnable {

        private final int size;
        private final int pauseNanos;
        volatile boolean isDone;
        private volatile Object sink = this;

        Allocator(int size, int pauseNanos) {
            this.size = size;
            this.pauseNanos = pauseNanos;
        }

        @Override
        public void run() {
            Native.watchThread();
            long now = System.nanoTime();
            while (!isDone) {
                sink = new byte[size];
                for (long next = now + pauseNanos; now < next; ) {
                    now = System.nanoTime();
                }
            }
        }
    }
}
