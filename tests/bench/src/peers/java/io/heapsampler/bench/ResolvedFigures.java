// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeldBy.Way;
import io.heapsampler.Unresolved;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * For how many of the live bytes of applications, while they work, holders are found, by each way:
 * {@code tests/bench/run resolved}. Arguments: the applications wanted, none for all.
 *
 * <p>{@code share}: of the samples that the next full collection has not found dead. The others may
 * have been garbage when they were searched. {@code share_of_all}: these included.
 */
final class ResolvedFigures {

    static final String SPRING = "spring";

    private static final int VERSION = Runtime.version().feature();
    private static final int SECONDS = Effort.of(8, 3);
    private static final double SHARE = 0.95;

    private ResolvedFigures() {}

    public static void main(String[] arguments) throws IOException {
        List<String> applications = new ArrayList<>(List.of(arguments));
        if (applications.isEmpty()) {
            for (Application application : Application.values()) {
                applications.add(application.label());
            }
            applications.add(SPRING);
        }
        for (String application : applications) {
            measure(application, Collector.G1, List.of(Way.ONE_STOP, Way.CHILD, Way.PASSES));
            if (VERSION >= 21) {
                measure(application, Collector.Z_GENERATIONAL, List.of(Way.PASSES));
            }
        }
        Report.table();
    }

    private static void measure(String application, Collector collector, List<Way> ways)
            throws IOException {
        Path log = SafepointLog.newFile();
        List<String> flags = Options.common();
        flags.addAll(collector.flags(VERSION));
        flags.add(SafepointLog.flag(log));
        List<Object> words = new ArrayList<>(List.of(log, application, SECONDS));
        words.addAll(ways);
        Fork fork = Fork.run(ResolvedFork.class, flags, words.toArray());
        for (Way way : ways) {
            report(
                    String.join("_", "resolved", application, collector.label(), label(way)),
                    label(way),
                    fork);
        }
    }

    static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static void report(String name, String way, Fork fork) {
        for (String figure :
                List.of("samples", "megabytes", "nodes", "share_of_all", "stops", "time_ms")) {
            Report.say(name + "_" + figure, fork.get(way + "_" + figure));
        }
        if (fork.get(way + "_samples") == 0) {
            return; // Z: tracked garbage has taken all places
        }
        double[] stops = fork.all(way + "_stop_ms");
        if (stops.length > 0) {
            Report.say(name + "_stop_p50_ms", Statistics.median(stops));
            Report.say(name + "_stop_max_ms", Statistics.quantile(1, stops));
        }
        for (Unresolved cause : Unresolved.values()) {
            double share = fork.get(way + "_" + label(cause));
            if (share > 0) {
                Report.say(name + "_" + label(cause), share);
            }
        }
        Report.judgeLeast(name + "_share", fork.get(way + "_share"), SHARE);
    }
}
