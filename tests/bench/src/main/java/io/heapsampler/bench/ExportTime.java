// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import com.sun.management.ThreadMXBean;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * How long an export takes, the first time and later, when the JVM has had the time to compile it.
 * Arguments: format; sites; live samples of each; exports to time; {@code alike} or {@code random};
 * seconds to warm up. Stacks are 32 frames deep, of 20,000 methods in 2,500 classes, seed 1. Those
 * that are alike begin as another one does, from half of it on, as the stacks of an application do;
 * in those at random nothing repeats that compression could find.
 */
final class ExportTime {

    private static final int DEPTH = 32;
    private static final int METHODS = 20_000;
    private static final int THREADS = 8;
    private static final int LEAST_WARM_UP = 10;
    private static final long START = 1_767_225_600_000_000L;
    private static final int SPAN = 100_000_000;

    private static final ThreadMXBean THREADS_OF_JVM =
            ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    private ExportTime() {}

    public static void main(String[] arguments) throws IOException {
        ExportFormat format = ExportFormat.valueOf(arguments[0]);
        HeapSnapshot snapshot =
                snapshot(
                        Integer.parseInt(arguments[1]),
                        Integer.parseInt(arguments[2]),
                        arguments[4].equals("alike"));
        ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 25);
        warmUp(format, snapshot, out, Integer.parseInt(arguments[5]));
        double[] took = new double[Integer.parseInt(arguments[3])];
        double[] worked = new double[took.length];
        for (int i = 0; i < took.length; i++) {
            out.reset();
            long began = System.nanoTime();
            long ran = THREADS_OF_JVM.getCurrentThreadCpuTime();
            snapshot.writeTo(out, format);
            worked[i] = (THREADS_OF_JVM.getCurrentThreadCpuTime() - ran) / 1e6;
            took[i] = (System.nanoTime() - began) / 1e6;
        }
        Fork.answer("median_ms", Statistics.median(took));
        Fork.answer("median_cpu_ms", Statistics.median(worked));
        Fork.answer("bytes", out.size());
        long before = allocated();
        out.reset();
        snapshot.writeTo(out, format);
        Fork.answer("java_bytes", allocated() - before);
    }

    private static void warmUp(
            ExportFormat format, HeapSnapshot snapshot, ByteArrayOutputStream out, int seconds)
            throws IOException {
        long began = System.nanoTime();
        long end = began + TimeUnit.SECONDS.toNanos(seconds);
        for (int i = 0; i < LEAST_WARM_UP || System.nanoTime() - end < 0; i++) {
            out.reset();
            snapshot.writeTo(out, format);
            if (i == 0) {
                Fork.answer("first_ms", (System.nanoTime() - began) / 1e6);
            }
        }
    }

    private static long allocated() {
        return THREADS_OF_JVM.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private static HeapSnapshot snapshot(int sites, int livePerSite, boolean areAlike)
            throws IOException {
        BlockWriter writer = new BlockWriter();
        writer.info(Info.STARTED_AT, START).info(Info.TAKEN_AT, START + SPAN);
        Random random = new Random(1);
        int[] frames = frames(writer);
        for (int i = 0; i < THREADS; i++) {
            writer.thread(i, "worker-" + i);
        }
        int[][] stacks = new int[sites][];
        for (int i = 0; i < sites; i++) {
            int[] stack = random.ints(DEPTH, 0, METHODS).map(k -> frames[k]).toArray();
            if (areAlike && i > 0) {
                beginAs(stacks[random.nextInt(i)], stack, random);
            }
            stacks[i] = stack;
            String type = "com.acme.shop.Item" + i % 999;
            int site = writer.site(writer.stack(false, stack), type, 20, 40, 4000);
            for (int k = 0; k < livePerSite; k++) {
                long at = START + random.nextInt(SPAN);
                writer.living(site, k % THREADS, 8 * (1 + i % 64), at, 4096, 0, 1, k);
            }
        }
        return HeapSnapshot.read(new ByteArrayInputStream(writer.write()));
    }

    private static int[] frames(BlockWriter writer) {
        int[] frames = new int[METHODS];
        for (int i = 0; i < METHODS; i++) {
            String name = "com.acme.shop.checkout.Service" + i / 8;
            frames[i] = writer.frame(name, name, "method" + i % 8, "Service.java", i % 500 + 1, 0);
        }
        return frames;
    }

    /** A stack begins at its end: its leaf comes first. */
    private static void beginAs(int[] other, int[] stack, Random random) {
        int same = DEPTH / 2 + random.nextInt(DEPTH / 2);
        System.arraycopy(other, DEPTH - same, stack, DEPTH - same, same);
    }
}
