// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit.compare;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;

import io.heapsampler.assertions.ThrowingRunnable;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.opentest4j.AssertionFailedError;
import org.quickperf.jvm.allocation.bytewatcher.ByteWatcherSingleThread;

/**
 * Bytes of the same bodies: by an assertion, by QuickPerf's recorder, by JMH's {@code gc}. Exits with 1 if
 * an assertion is not within a tenth of JMH, which knows the compiled code best.
 */
public final class Compare {

    private Compare() {}

    public static void main(String[] arguments) throws Exception {
        Bodies bodies = new Bodies();
        Map<String, ThrowingRunnable> all = new LinkedHashMap<>();
        all.put("nothing", bodies::nothing);
        all.put("oneObject", bodies::oneObject);
        all.put("arrays", bodies::arrays);
        all.put("list", bodies::list);
        all.put("format", bodies::format);
        Map<String, Double> jmh = jmh();
        boolean isAlike = true;
        System.out.println("body       HeapSampler   QuickPerf   QuickPerf, first   JMH -prof gc");
        for (Map.Entry<String, ThrowingRunnable> body : all.entrySet()) {
            String first = quickPerf(body.getValue());
            String ours = ours(body.getValue());
            double truth = jmh.get(body.getKey());
            isAlike &= Math.abs(Double.parseDouble(ours) - truth) <= 1 + truth / 10;
            System.out.printf(
                    Locale.ROOT,
                    "%-10s %11s %11s %18s %14.1f%n",
                    body.getKey(),
                    ours,
                    quickPerf(body.getValue()),
                    first,
                    truth);
        }
        if (!isAlike) {
            System.exit(1);
        }
    }

    /** What a failed limit of nothing says it was; 0 if it did not fail. */
    private static String ours(ThrowingRunnable body) {
        try {
            assertAllocations(body).allocatesNothing();
            return "0";
        } catch (AssertionFailedError e) {
            return String.valueOf(e.getActual().getValue()).replaceAll("[^0-9]", "");
        }
    }

    /** As its JUnit 5 extension does: around one run, with its own fixed cost taken off. */
    private static String quickPerf(ThrowingRunnable body) {
        ByteWatcherSingleThread watcher = new ByteWatcherSingleThread();
        watcher.reset();
        try {
            body.run();
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        return String.valueOf(watcher.calculateAllocations());
    }

    private static Map<String, Double> jmh() throws Exception {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (RunResult run :
                new Runner(
                                new OptionsBuilder()
                                        .include(Bodies.class.getName())
                                        .addProfiler(GCProfiler.class)
                                        .forks(1)
                                        .warmupIterations(3)
                                        .measurementIterations(3)
                                        .warmupTime(TimeValue.milliseconds(300))
                                        .measurementTime(TimeValue.milliseconds(300))
                                        .verbosity(VerboseMode.SILENT)
                                        .build())
                        .run()) {
            String name = run.getParams().getBenchmark().replaceAll(".*\\.", "");
            run.getSecondaryResults()
                    .forEach(
                            (key, result) -> {
                                if (key.endsWith("gc.alloc.rate.norm")) {
                                    figures.put(name, result.getScore());
                                }
                            });
        }
        return figures;
    }
}
