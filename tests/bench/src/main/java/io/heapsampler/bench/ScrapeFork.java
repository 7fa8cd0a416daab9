// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What scrapes take from an application that has all processors busy: two threads make transfers in
 * a bank, in windows with a scrape every second and in windows without, in turns. The tables hold
 * 10,000 stacks with 10 live samples each. Arguments: pairs of windows; seconds of a window.
 */
final class ScrapeFork {

    private static final int STACKS = 10_000;
    private static final int LIVE = 10;
    private static final int DEPTH = 32;
    private static final int WARM_UP = 5;
    private static final int SCRAPES = Effort.of(40, 5);

    /** What is requested again and again, by name. */
    static final Map<String, String> PATHS = new LinkedHashMap<>();

    static {
        PATHS.put("allocs", Scraped.ALLOCS);
        PATHS.put("allocs_without_labels", Scraped.ALLOCS + "?labels=0");
        PATHS.put("heap", "/debug/pprof/heap");
        PATHS.put("delta_heap", "/debug/pprof/delta_heap");
        PATHS.put("metrics", "/debug/heapsampler/metrics");
        PATHS.put("top", "/debug/heapsampler/top.json");
    }

    private final Object[] kept = new Object[STACKS * LIVE];
    private final AtomicLong work = new AtomicLong();
    private int count;
    private volatile boolean isDone;

    private ScrapeFork() {}

    public static void main(String[] arguments) throws Exception {
        ScrapeFork fork = new ScrapeFork();
        fork.fill();
        try (Scraped scraped = new Scraped()) {
            for (Map.Entry<String, String> path : PATHS.entrySet()) {
                measureOne(scraped, path.getKey(), path.getValue());
            }
            fork.measureTurns(
                    scraped, Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
        }
        Fork.answer("sites", HeapSampler.snapshot().sites().size());
        HeapSampler.stop();
        if (fork.kept[0] == null) {
            throw new IllegalStateException("only " + fork.count + " objects");
        }
    }

    private void fill() {
        HeapSampler.start(
                SamplerOptions.builder().interval(0).maxTracked(131_072).maxNames(131_072).build());
        DeepCalls calls =
                DeepCalls.ofDepth(
                        DEPTH,
                        () -> {
                            for (int i = 0; i < LIVE; i++) {
                                kept[count++] = new byte[16];
                            }
                        },
                        these -> these.call(0));
        for (int pattern = 0; pattern < STACKS; pattern++) {
            calls.call(pattern);
        }
        HeapSampler.setInterval(512 * 1024);
        System.gc();
    }

    /**
     * The processor time of the whole process for a scrape while nothing else is done: that of
     * compilers and collectors is in it, which is why it is the mean.
     */
    private static void measureOne(Scraped scraped, String name, String path) {
        for (int i = 0; i < 4 * WARM_UP; i++) {
            scraped.scrape(path);
        }
        double[] wall = new double[SCRAPES];
        long cpuBefore = Native.processCpuNanos();
        for (int i = 0; i < SCRAPES; i++) {
            long before = System.nanoTime();
            scraped.scrape(path);
            wall[i] = (System.nanoTime() - before) / 1e6;
        }
        long cpu = Native.processCpuNanos() - cpuBefore;
        Fork.answer(name + "_cpu_ms", cpu / 1e6 / SCRAPES);
        Fork.answer(name + "_wall_ms", Statistics.median(wall));
        Fork.answer(name + "_wall_max_ms", Statistics.quantile(1, wall));
        Fork.answer(name + "_bytes", scraped.bytes());
    }

    private void measureTurns(Scraped scraped, int pairs, int seconds) throws Exception {
        Thread[] threads = new Thread[Runtime.getRuntime().availableProcessors()];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(this::workUntilDone, "clerk-" + i);
            threads[i].start();
        }
        window(scraped, WARM_UP, true);
        for (int i = 0; i < pairs; i++) {
            boolean isFirst = i % 2 == 0;
            double one = window(scraped, seconds, isFirst);
            double other = window(scraped, seconds, !isFirst);
            Fork.answer("with_per_s", isFirst ? one : other);
            Fork.answer("without_per_s", isFirst ? other : one);
        }
        isDone = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void workUntilDone() {
        try (Bank bank = new Bank()) {
            while (!isDone) {
                bank.work();
                work.incrementAndGet();
            }
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns how much was done per second. */
    private double window(Scraped scraped, int seconds, boolean isScraped) throws Exception {
        long before = work.get();
        long begin = System.nanoTime();
        for (int i = 1; i <= seconds; i++) {
            if (isScraped) {
                scraped.scrape();
            }
            long rest = begin + i * 1_000_000_000L - System.nanoTime();
            Thread.sleep(Math.max(rest / 1_000_000, 0));
        }
        return (work.get() - before) / ((System.nanoTime() - begin) / 1e9);
    }
}
