// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.List;

/**
 * What scrapes over HTTP cost an application: {@code tests/bench/run scrape}. At one scrape in ten
 * seconds they may take 1 % of its time: {@code cpu_percent} of what all processors have, and
 * {@code added_percent} of the time for the same work while all processors are busy. The latter is
 * measured with ten times as many, for one in a hundred drowns in the noise. Callbacks beside
 * scrapes are compared with those without.
 */
final class ScrapeFigures {

    private static final int PAIRS = Effort.of(12, 1);
    private static final int SECONDS = Effort.of(5, 2);
    private static final int WATCHED = Effort.of(30, 3);

    /** Scrapes a second when measured, against one in ten seconds. */
    private static final double FACTOR = 10;

    private ScrapeFigures() {}

    public static void main(String[] arguments) {
        Fork fork = Fork.run(ScrapeFork.class, List.of("-Xms1g", "-Xmx1g"), PAIRS, SECONDS);
        Report.say("scrape_sites", fork.get("sites"));
        Report.say("scrape_kib", fork.get("bytes") / 1024);
        Report.say("scrape_wall_ms", fork.get("wall_ms"));
        Report.say("scrape_wall_max_ms", fork.get("wall_max_ms"));
        double cpuMillis = fork.get("cpu_ms");
        Report.say("scrape_cpu_ms", cpuMillis);
        int processors = Runtime.getRuntime().availableProcessors();
        Report.judge("scrape_cpu_percent", 100 * cpuMillis / (10_000 * processors), 1);
        double[] with = fork.all("with_per_s");
        double[] without = fork.all("without_per_s");
        double[] added = new double[with.length];
        for (int i = 0; i < with.length; i++) {
            added[i] = 100 * (without[i] / with[i] - 1) / FACTOR;
        }
        Report.judge("scrape_added_percent", Statistics.trimmedMean(added), 1);
        callbacks();
    }

    private static void callbacks() {
        Fork fork =
                Fork.run(
                        SnapshotTime.class,
                        List.of("-Xms1g", "-Xmx1g", "-Xmn700m"),
                        1,
                        WATCHED,
                        10_000,
                        10,
                        "scrape");
        for (String when : List.of("without", "with")) {
            for (String name : CoreFigures.CALLBACK_FIGURES) {
                Report.say("callback_" + when + "_scrape_" + name, fork.get(when + "_" + name));
            }
        }
        Report.say("scrape_collections_meanwhile", fork.get("collections"));
        CoreFigures.judgeDelays(
                "scrape", fork.get("with_own_over_100us"), fork.get("without_own_over_100us"));
    }
}
