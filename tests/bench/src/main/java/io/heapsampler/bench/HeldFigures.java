// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How much fuller tracking keeps the heap, in per cent of its maximum: garbage of one shape after
 * the other is made with nothing tracked and with the default budget, in turns, and the figures are
 * the differences of what the collections left. {@code heap} is what the JVM says, {@code kept},
 * where ZGC says enough, leaves out allocations while they ran. Arguments: the collectors wanted,
 * none for all that this JVM has; shapes wanted, none for all.
 */
final class HeldFigures {

    private static final String HEAP = "512m";
    private static final int ROUNDS = Effort.of(4, 1);
    private static final List<String> SHAPES =
            List.of("ring-72", "ring-17000", "ring-100000", "array-1000000", "queue");

    /** What tracking may add, in per cent of the maximum heap size. */
    private static final double TARGET = 1;

    /** A sixteenth, which is for humongous objects alone. */
    private static final double TARGET_OF_G1_ARRAYS = 6.25;

    private static final Map<String, List<String>> COLLECTORS = new LinkedHashMap<>();

    static {
        int feature = Runtime.version().feature();
        COLLECTORS.put("G1", List.of("-XX:+UseG1GC"));
        COLLECTORS.put(
                "Z",
                feature >= 21 && feature < 24
                        ? List.of("-XX:+UseZGC", "-XX:+ZGenerational")
                        : List.of("-XX:+UseZGC"));
        COLLECTORS.put(
                "Shenandoah",
                feature >= 25
                        ? List.of("-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational")
                        : List.of("-XX:+UseShenandoahGC"));
    }

    private HeldFigures() {}

    public static void main(String[] arguments) throws IOException {
        List<String> wanted = List.of(arguments);
        for (String collector : COLLECTORS.keySet()) {
            for (String shape : SHAPES) {
                if (isWanted(wanted, collector, COLLECTORS.keySet())
                        && isWanted(wanted, shape, SHAPES)) {
                    measure(collector, shape);
                }
            }
        }
    }

    private static boolean isWanted(List<String> wanted, String name, Collection<String> kind) {
        return wanted.contains(name) || wanted.stream().noneMatch(kind::contains);
    }

    private static void measure(String collector, String shape) throws IOException {
        Path log = Files.createTempFile("bench", ".log");
        try {
            List<String> flags =
                    new ArrayList<>(
                            List.of(
                                    "-Xms" + HEAP,
                                    "-Xmx" + HEAP,
                                    "-Xlog:gc,gc+heap:file=" + log + ":none:filecount=0",
                                    "-Dbench.quick=" + Effort.IS_QUICK));
            flags.addAll(COLLECTORS.get(collector));
            String name = "held_" + collector.toLowerCase(Locale.ROOT) + "_" + shape;
            boolean isHumongous = collector.equals("G1") && shape.startsWith("array");
            report(
                    name,
                    isHumongous ? TARGET_OF_G1_ARRAYS : TARGET,
                    Fork.run(HeldFork.class, flags, log, shape, ROUNDS, 0, -1));
        } finally {
            Files.delete(log);
        }
    }

    private static void report(String name, double target, Fork fork) {
        Report.say(name + "_heap_without_percent", Statistics.mean(fork.all("b0_heap")));
        Report.judge(name + "_heap_added_percent", added(fork, "heap"), target);
        if (fork.all("b0_kept").length > 0) {
            Report.say(name + "_kept_without_percent", Statistics.mean(fork.all("b0_kept")));
            Report.judge(name + "_kept_added_percent", added(fork, "kept"), target);
        }
        for (String figure : List.of("most", "cycles", "stalls")) {
            Report.say(name + "_" + figure + "_without", mean(fork, "b0_" + figure));
            Report.say(name + "_" + figure + "_with", mean(fork, "b-1_" + figure));
        }
        Report.say(name + "_tracked", mean(fork, "b-1_tracked"));
    }

    private static double mean(Fork fork, String name) {
        return Statistics.mean(fork.all(name)).value();
    }

    private static Mean added(Fork fork, String figure) {
        double[] without = fork.all("b0_" + figure);
        double[] added = fork.all("b-1_" + figure);
        for (int i = 0; i < added.length; i++) {
            added[i] -= without[i];
        }
        return Statistics.mean(added);
    }
}
