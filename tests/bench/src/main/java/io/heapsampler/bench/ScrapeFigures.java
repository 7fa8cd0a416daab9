// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.List;

/**
 * What scrapes over HTTP cost an application: {@code tests/bench/run scrape}. At one scrape in ten
 * seconds they may take 1 % of its time. The product is the processor time of a scrape times the
 * scrapes in a second, of what all processors have: what should be added while all of them are
 * busy. {@code added_percent} is what is added to the time for the same work then, measured with
 * ten times as many scrapes, for one in a hundred drowns in the noise; what scrapes do to the
 * caches is in it. Callbacks beside scrapes are compared with those without.
 */
final class ScrapeFigures {

    private static final int PAIRS = Effort.of(30, 1);
    private static final int SECONDS = Effort.of(2, 2);
    private static final int WATCHED = Effort.of(30, 3);

    private static final double SCRAPES_A_SECOND = 0.1;

    /** Scrapes when measured directly, one a second, against those. */
    private static final double FACTOR = 1 / SCRAPES_A_SECOND;

    private ScrapeFigures() {}

    public static void main(String[] arguments) {
        Fork fork = Fork.run(ScrapeFork.class, List.of("-Xms1g", "-Xmx1g"), PAIRS, SECONDS);
        Report.say("scrape_sites", fork.get("sites"));
        ScrapeFork.PATHS.keySet().forEach(path -> product(fork, path));
        double[] with = fork.all("with_per_s");
        double[] without = fork.all("without_per_s");
        double[] added = new double[with.length];
        for (int i = 0; i < with.length; i++) {
            added[i] = 100 * (without[i] / with[i] - 1) / FACTOR;
        }
        Report.judge("scrape_added_percent", Statistics.trimmedMean(added), 1);
        callbacks();
    }

    /**
     * The processor time of a scrape, times the scrapes in a second, of what all processors have.
     */
    private static void product(Fork fork, String path) {
        String name = "scrape_" + path;
        Report.say(name + "_kib", fork.get(path + "_bytes") / 1024);
        Report.say(name + "_wall_ms", fork.get(path + "_wall_ms"));
        Report.say(name + "_wall_max_ms", fork.get(path + "_wall_max_ms"));
        double cpuMillis = fork.get(path + "_cpu_ms");
        Report.say(name + "_cpu_ms", cpuMillis);
        int processors = Runtime.getRuntime().availableProcessors();
        double share = cpuMillis / 1000 * SCRAPES_A_SECOND / processors;
        Report.judge(name + "_product_percent", 100 * share, 1);
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
        Report.judge("callback_longest_by_scrape_us", fork.get("with_own_max_us"), 100);
        CoreFigures.judgeDelays(
                "scrape", fork.get("with_own_over_100us"), fork.get("without_own_over_100us"));
    }
}
