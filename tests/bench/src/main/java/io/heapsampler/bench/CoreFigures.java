// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The figures of the core, each with its target; {@code tests/bench/run core}. Arguments: the
 * figures wanted, none for all.
 */
final class CoreFigures {

    private static final double MEBIBYTE = 1 << 20;
    static final List<String> CALLBACK_FIGURES =
            List.of(
                    "callbacks",
                    "median_us",
                    "p999_us",
                    "max_us",
                    "preempted",
                    "waited",
                    "own_over_100us",
                    "own_max_us");

    private static final int WATCHED = Effort.of(40, 5);
    private static final int SLICES = Effort.of(60, 6);
    private static final int MOST_SECONDS_FOR_STOPPED = Effort.of(170, 2);
    private static final List<String> FIGURES = List.of("sample", "memory", "snapshot", "stopped");

    private CoreFigures() {}

    public static void main(String[] arguments) {
        for (String figure : arguments.length == 0 ? FIGURES : List.of(arguments)) {
            switch (figure) {
                case "sample" -> sample();
                case "memory" -> memory();
                case "snapshot" -> snapshot();
                case "stopped" -> stopped();
                default ->
                        throw new IllegalArgumentException("no figure " + figure + ": " + FIGURES);
            }
        }
    }

    private static void sample() {
        List<Fork> forks = new ArrayList<>();
        for (int i = 0; i < Effort.of(6, 2); i++) {
            forks.add(
                    Fork.run(SampleCost.class, List.of("-Xms256m", "-Xmx256m"), Effort.of(40, 8)));
        }
        Report.say("sample_stack_frames", mean(forks, "frames").value());
        for (String arm : List.of("off", "empty", "walk", "bare", "ours")) {
            Report.say("sample_" + arm + "_ns", mean(forks, arm + "_cpu").value());
        }
        Mean ratio = ratio(forks, "cpu");
        System.out.printf(
                Locale.ROOT,
                "sample_cost_ratio=%.3f low=%.3f high=%.3f target=1.15 pass=%b%n",
                ratio.value(),
                ratio.low(),
                ratio.high(),
                ratio.value() <= 1.15);
        sayMean("sample_cost_ratio_wall", ratio(forks, "wall"));
        sayMean("sample_cost_ratio_process", ratio(forks, "process"));
    }

    private static Mean ratio(List<Fork> forks, String clock) {
        return Statistics.mean(
                forks.stream()
                        .mapToDouble(f -> f.get("ours_" + clock) / f.get("bare_" + clock))
                        .toArray());
    }

    private static Mean mean(List<Fork> forks, String name) {
        return Statistics.mean(forks.stream().mapToDouble(f -> f.get(name)).toArray());
    }

    private static void memory() {
        int capacity = 65_536;
        Fork small = Fork.run(MemoryUse.class, List.of("-Xmx256m"), "tracked", capacity);
        Fork large = Fork.run(MemoryUse.class, List.of("-Xmx256m"), "tracked", 2 * capacity);
        Report.judge(
                "tracked_sample_bytes", (large.get("memory") - small.get("memory")) / capacity, 64);
        Fork bank = Fork.run(MemoryUse.class, List.of("-Xmx512m"), "bank", Effort.of(10, 2));
        Report.say("bank_samples", bank.get("samples"));
        Report.say("bank_tracked", bank.get("tracked"));
        Report.say("bank_memory_mib", bank.get("memory") / MEBIBYTE);
        Report.judge("bank_memory_peak_mib", bank.get("peak") / MEBIBYTE, 24);
    }

    private static void snapshot() {
        Fork fork =
                Fork.run(
                        SnapshotTime.class,
                        List.of("-Xms1g", "-Xmx1g", "-Xmn600m"),
                        40,
                        40,
                        10_000,
                        10);
        Report.say("snapshot_samples", fork.get("samples"));
        Report.say("snapshot_sites", fork.get("sites"));
        Report.say("snapshot_second_ms", fork.get("second_ms"));
        Report.judge("snapshot_median_ms", fork.get("median_ms"), 50);
        Report.judge("snapshot_max_ms", fork.get("max_ms"), 50);
        Report.say("snapshot_at_interval_0_ms", fork.get("watched_median_ms"));
        Report.say("snapshot_collections_meanwhile", fork.get("collections"));
        for (String when : List.of("without", "with")) {
            for (String name : CALLBACK_FIGURES) {
                Report.say("callback_" + when + "_snapshot_" + name, fork.get(when + "_" + name));
            }
        }
        judgeDelays(
                "snapshot", fork.get("with_own_over_100us"), fork.get("without_own_over_100us"));
    }

    /**
     * Passes unless snapshots, or what else is named, make more callbacks late than chance explains
     * (two standard deviations of a Poisson count).
     */
    static void judgeDelays(String name, double with, double without) {
        System.out.println(
                "callbacks_late_by_"
                        + name
                        + "="
                        + Report.round(with)
                        + " without="
                        + Report.round(without)
                        + " target=without pass="
                        + (with <= without + 2 * Math.sqrt(with + without)));
    }

    /**
     * Pairs of JVMs: one starts and stops HeapSampler, the other never does. Before and after, the
     * two measure in turns, a slice each; the figure is how the ratio of their costs changes.
     */
    private static void stopped() {
        List<Double> logs = new ArrayList<>();
        long end = System.nanoTime() + MOST_SECONDS_FOR_STOPPED * 1_000_000_000L;
        Mean mean;
        do {
            logs.add(changeOfPair());
            mean = mean(logs);
        } while (logs.size() < Effort.of(8, 2)
                || mean.halfWidth() > 0.01 && System.nanoTime() < end);
        Report.say("stopped_pairs", logs.size());
        System.out.printf(
                Locale.ROOT,
                "stopped_cost_ratio=%.4f half_width=%.4f target=1 pass=%b%n",
                Math.exp(mean.value()),
                mean.halfWidth(),
                mean.low() <= 0 && mean.halfWidth() <= 0.01);
    }

    private static double changeOfPair() {
        // A method of its own: else the commands that only one of the two obeys would make its loop
        // compile anew, in another place.
        String apart =
                "-XX:CompileCommand=dontinline," + StoppedCost.class.getName() + "::allocate";
        List<String> flags =
                List.of(
                        "-XX:+UseSerialGC",
                        "-Xms128m",
                        "-Xmx128m",
                        "-Xmn16m",
                        "-XX:CompileCommand=quiet",
                        apart);
        try (Fork sampling = Fork.startPinned(StoppedCost.class, flags);
                Fork never = Fork.startPinned(StoppedCost.class, flags)) {
            sampling.ask("load");
            never.ask("load");
            sampling.ask("work");
            never.ask("work");
            double before = logRatio(sampling, never);
            sampling.ask("start");
            sampling.ask("work");
            never.ask("work");
            sampling.ask("stop");
            return logRatio(sampling, never) - before;
        }
    }

    /**
     * Each slice is compared with its neighbour of the other JVM, on the same processor, so that
     * what the machine does meanwhile falls on both; the median leaves out those where it did not.
     */
    private static double logRatio(Fork a, Fork b) {
        double[] ratios = new double[SLICES];
        for (int i = 0; i < SLICES; i++) {
            boolean isFirst = i % 2 == 0;
            double first = (isFirst ? a : b).ask("measure");
            double second = (isFirst ? b : a).ask("measure");
            ratios[i] = isFirst ? Math.log(first / second) : Math.log(second / first);
        }
        return Statistics.median(ratios);
    }

    private static Mean mean(List<Double> values) {
        return Statistics.mean(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static void sayMean(String name, Mean mean) {
        System.out.printf(
                Locale.ROOT,
                "%s=%.3f low=%.3f high=%.3f%n",
                name,
                mean.value(),
                mean.low(),
                mean.high());
    }
}
