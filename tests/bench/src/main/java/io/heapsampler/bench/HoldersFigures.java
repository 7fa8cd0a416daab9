// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a search for holders costs: {@code tests/bench/run holders}. Arguments: the parts wanted,
 * none for all.
 *
 * <p>Stops are those of the JVM's own log of safepoints: from the request until all threads go on.
 * A thread that looks at the clock would measure the scheduler as well, and take a processor from
 * the search. Beside them stand the processor time of the thread that works in them ({@code cpu}),
 * and how long it was ready to run but others did ({@code wait}): that is the machine's.
 */
final class HoldersFigures {

    private static final int VERSION = Runtime.version().feature();
    private static final List<String> PARTS = List.of("child", "busy", "passes", "large", "first");

    private static final int[] MEGABYTES = Effort.IS_QUICK ? new int[] {40} : new int[] {40, 500};

    /** Before JDK 19, passes of larger heaps are refused. */
    private static final int MEGABYTES_OF_SLOW_PASSES = 20;

    private static final int WALKS = Effort.of(200, 20);
    private static final int WHOLE_WALKS = 1;
    private static final int DUMPS = Effort.of(5, 2);
    private static final int PAIRS = Effort.of(7, 1);
    private static final int SEARCHES = Effort.of(2, 1);
    private static final int FIRSTS = Effort.of(3, 1);

    /**
     * With half of the heap live, G1 would mark all the time, in some windows and not in others.
     */
    private static final int ROOMY = 4;

    /** Targets. */
    private static final double PAUSE_MS = 10;

    private static final double PAUSE_MS_PER_MB = 0.06;
    private static final double THROUGHPUT = 0.8;
    private static final double PASS_MS = 10;
    private static final double LARGE_SECONDS = VERSION < 21 ? 60 : 120;
    private static final double LARGE_MB = 1_500;
    private static final double FIRST_MS = 1_000;
    private static final double OF_DUMP = 0.1;

    private HoldersFigures() {}

    public static void main(String[] arguments) throws IOException {
        for (String part : PARTS) {
            if (arguments.length == 0 || List.of(arguments).contains(part)) {
                measure(part);
            }
        }
        Report.table();
    }

    private static void measure(String part) throws IOException {
        switch (part) {
            case "child" -> {
                for (int megabytes : MEGABYTES) {
                    measureChild(megabytes);
                }
            }
            case "busy" -> measureBusy(MEGABYTES[MEGABYTES.length - 1]);
            case "passes" -> {
                measurePasses(Collector.G1);
                measurePasses(VERSION < 21 ? Collector.Z : Collector.Z_GENERATIONAL);
            }
            case "large" -> measureLarge();
            default -> measureFirst();
        }
    }

    private static Fork run(Collector collector, int megabytes, Object... rest) throws IOException {
        return run(2, collector, megabytes, rest);
    }

    /** The heap is this many times the live bytes. */
    private static Fork run(int roominess, Collector collector, int megabytes, Object... rest)
            throws IOException {
        Path log = SafepointLog.newFile();
        int heap = Math.max(128, megabytes * roominess);
        List<String> flags = new ArrayList<>(collector.flags(VERSION));
        flags.addAll(
                List.of(
                        "-Xmx" + heap + "m",
                        SafepointLog.flag(log),
                        "-Dbench.quick=" + Effort.IS_QUICK));
        List<Object> arguments = new ArrayList<>(List.of(log, megabytes));
        arguments.addAll(List.of(rest));
        return Fork.run(HoldersFork.class, flags, arguments.toArray());
    }

    private static void sayQuantiles(String name, double... values) {
        Report.say(name + "_p50_ms", Statistics.median(values));
        Report.say(name + "_p99_ms", Statistics.quantile(0.99, values));
        Report.say(name + "_max_ms", Statistics.quantile(1, values));
    }

    private static void sayAnswer(String name, Fork fork) {
        Report.say(name + "_share", Statistics.median(fork.all("share")));
        Report.say(name + "_time_ms", Statistics.median(fork.all("time_ms")));
        Report.say(name + "_child_cpu_ms", Statistics.median(fork.all("child_cpu_ms")));
        Report.say(name + "_native_mb", Statistics.median(fork.all("native_mb")));
        Report.say(name + "_nodes", Statistics.median(fork.all("nodes")));
    }

    private static void measureChild(int megabytes) throws IOException {
        Fork fork = run(Collector.G1, megabytes, "child", WALKS, WHOLE_WALKS, DUMPS);
        String name = "holders_child_" + megabytes + "mb";
        double resident = fork.get("resident_mb");
        double[] stops = fork.all("stop_ms");
        Report.say(name + "_resident_mb", resident);
        Report.say(name + "_stops", stops.length);
        sayQuantiles(name + "_stop", stops);
        sayQuantiles(name + "_cpu", fork.all("cpu_ms"));
        sayQuantiles(name + "_wait", fork.all("wait_ms"));
        Report.judge(
                name + "_stop_p99_ms",
                Statistics.quantile(0.99, stops),
                PAUSE_MS + PAUSE_MS_PER_MB * resident);
        sayAnswer(name, fork);
        sayQuantiles(name + "_dump", fork.all("dump_ms"));
        Report.judge(
                name + "_stop_per_dump",
                Statistics.median(stops) / Statistics.median(fork.all("dump_ms")),
                OF_DUMP);
    }

    private static void measureBusy(int megabytes) throws IOException {
        Fork fork = run(ROOMY, Collector.G1, megabytes, "busy", PAIRS);
        Report.say(
                "holders_child_" + megabytes + "mb_throughput_least",
                Statistics.quantile(0, fork.all("throughput")));
        Report.judgeLeast(
                "holders_child_" + megabytes + "mb_throughput",
                Statistics.median(fork.all("throughput")),
                THROUGHPUT);
    }

    private static void measurePasses(Collector collector) throws IOException {
        int megabytes = VERSION < 19 ? MEGABYTES_OF_SLOW_PASSES : MEGABYTES[0];
        Fork fork = run(collector, megabytes, "passes", SEARCHES);
        String name = "holders_passes_" + collector.label() + "_" + megabytes + "mb";
        double[] stops = fork.all("stop_ms");
        Report.say(name + "_passes", Statistics.median(fork.all("passes")));
        if (stops.length == 0) {
            return; // ZGC on JDK 17: refused, since no pass would be short enough
        }
        sayQuantiles(name + "_stop", stops);
        sayQuantiles(name + "_reaching", fork.all("reaching_ms"));
        Report.say(name + "_cpu_mean_ms", Statistics.median(fork.all("cpu_ms")));
        Report.say(name + "_wait_mean_ms", Statistics.median(fork.all("wait_ms")));
        Report.judge(name + "_stop_p99_ms", Statistics.quantile(0.99, stops), PASS_MS);
        sayAnswer(name, fork);
    }

    private static void measureLarge() throws IOException {
        int megabytes = Effort.of(1_000, 100);
        Fork fork = run(Collector.G1, megabytes, "large");
        String name = "holders_child_" + megabytes + "mb";
        Report.say(name + "_resident_mb", fork.get("resident_mb"));
        sayAnswer(name, fork);
        Report.judge(name + "_child_cpu_s", fork.get("child_cpu_ms") / 1e3, LARGE_SECONDS);
        Report.judge(name + "_child_private_mb", fork.get("child_private_mb"), LARGE_MB);
    }

    private static void measureFirst() throws IOException {
        List<Fork> forks = new ArrayList<>();
        for (int i = 0; i < FIRSTS; i++) {
            forks.add(run(Collector.G1, 40, "first"));
        }
        Report.say("holders_first_stop_max_ms", Fork.greatest(forks, "stop_ms"));
        Report.judgeLeast(
                "holders_first_found",
                forks.stream().mapToDouble(fork -> fork.get("found")).min().orElse(0),
                1);
        Report.judge("holders_first_ms", Fork.greatest(forks, "first_ms"), FIRST_MS);
    }
}
