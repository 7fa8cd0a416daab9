// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What tracked objects add to the pauses of each collector. {@code young}: collections that
 * allocation brings about; {@code full}: those that are requested. With a collector that works
 * beside the application, a pause is the sum over the stops of one collection. Arguments: the
 * collectors wanted, none for all.
 */
final class PauseFigures {

    private static final int VERSION = Runtime.version().feature();
    // A little less than the default, so that none is thinned out.
    private static final int BUDGET = 65_000;
    private static final int[] TRACKED = {0, 1_000, 10_000, BUDGET};
    private static final int ROUNDS = Effort.of(12, 2);

    private static final double WIDEST_US = 50;

    private PauseFigures() {}

    /** Not distinguishable from zero, and known well enough to say so. */
    private static boolean isNothing(Mean added) {
        return added.low() <= 0 && added.halfWidth() <= WIDEST_US;
    }

    public static void main(String[] arguments) throws IOException {
        List<Collector> all = List.of(Collector.values());
        List<Collector> wanted = Stream.of(arguments).map(Collector::of).toList();
        for (Collector collector : wanted.isEmpty() ? all : wanted) {
            if (!isThere(collector)) {
                System.err.println("no " + collector.label() + " in this JVM");
                continue;
            }
            for (String kind : List.of("young", "full")) {
                for (int tracked : TRACKED) {
                    measure(collector, kind, tracked);
                }
            }
        }
    }

    private static boolean isThere(Collector collector) {
        List<String> flags = collector.flags(VERSION);
        if (flags.isEmpty()) {
            return false;
        }
        try {
            Fork.run(PauseFigures.Nothing.class, flags);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private static void measure(Collector collector, String kind, int tracked) throws IOException {
        Path log = SafepointLog.newFile();
        List<String> flags = new ArrayList<>(collector.flags(VERSION));
        flags.addAll(
                        List.of(
                                "-Xms256m",
                                "-Xmx256m",
                                "-XX:+AlwaysPreTouch",
                                SafepointLog.flag(log),
                                "-Dbench.quick=" + Effort.IS_QUICK));
        if (collector.hasYoungSpace()) {
            flags.add("-Xmn32m");
        }
        Fork fork = Fork.run(PauseFork.class, flags, log, tracked, ROUNDS, kind);
        String name =
                "pause_" + collector.label() + "_" + kind + "_" + tracked;
        Report.say(name + "_without_us", Statistics.median(fork.all("without_mean")) / 1e3);
        Mean added = added(fork.all("with_mean"), fork.all("without_mean"));
        switch (tracked) {
            case 10_000 -> Report.judge(name + "_added_us", added, 0, isNothing(added));
            case BUDGET -> Report.judge(name + "_added_us", added, 1_000);
            default -> Report.say(name + "_added_us", added);
        }
        Report.say(name + "_tracked", fork.get("with_tracked"));
        Report.say(
                name + "_longest_added_us",
                (Statistics.median(fork.all("with_max"))
                                - Statistics.median(fork.all("without_max")))
                        / 1e3);
    }

    private static Mean added(double[] with, double[] without) {
        double[] added = new double[Math.min(with.length, without.length)];
        for (int i = 0; i < added.length; i++) {
            added[i] = (with[i] - without[i]) / 1e3;
        }
        return Statistics.trimmedMean(added);
    }

    /** Returns whether the JVM starts with a flag. */
    static final class Nothing {

        private Nothing() {}

        public static void main(String[] arguments) {}
    }
}
