// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How long a burst is above the budget: {@code tests/bench/run burst}. A thousand threads begin to
 * allocate at once, with the default budget of 1 % of the processor time. {@code back_seconds} is
 * when the first window of half a second ended that was within the budget; {@code rest} is the
 * share from then on. {@code reported_seconds} is when {@code status().overhead()}, which forgets
 * slowly, was last above the budget.
 */
final class BurstFigures {

    private static final List<Integer> INTERVALS = List.of(512 * 1024, 64 * 1024, 8 * 1024);
    private static final double BUDGET = 0.01;
    private static final int FORKS = Effort.of(5, 1);
    private static final int SECONDS = Effort.of(15, 5);
    private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-Xms512m", "-Xmx512m");

    private BurstFigures() {}

    public static void main(String[] arguments) {
        for (int interval : INTERVALS) {
            List<Fork> forks = new ArrayList<>();
            for (int i = 0; i < FORKS; i++) {
                forks.add(Fork.run(BurstFork.class, FLAGS, interval, SECONDS));
            }
            String name = "burst_" + interval / 1024 + "k";
            Report.say(name + "_samples", Fork.mean(forks, "samples", 1));
            Report.say(name + "_sample_cpu_us", Fork.mean(forks, "cost_ns", 1000));
            Report.say(name + "_first_share_percent", first(forks));
            Report.say(name + "_end_interval_kib", Fork.mean(forks, "interval", 1024));
            Report.say(name + "_reported_greatest_percent", 100 * Fork.greatest(forks, "greatest"));
            Report.say(name + "_reported_seconds", Fork.greatest(forks, "reported_s"));
            Report.judge(
                    name + "_back_seconds",
                    forks.stream().mapToDouble(BurstFigures::back).max().orElseThrow(),
                    2);
            Report.judge(
                    name + "_rest_percent",
                    Statistics.mean(forks.stream().mapToDouble(BurstFigures::rest).toArray()),
                    100 * BUDGET);
        }
        Report.table();
        Report.exit();
    }

    private static Statistics.Mean first(List<Fork> forks) {
        return Statistics.mean(
                forks.stream().mapToDouble(f -> 100 * f.all("window_share")[0]).toArray());
    }

    /** The first window within the budget; as many as there are if none is. */
    private static int within(Fork fork) {
        double[] shares = fork.all("window_share");
        int window = 0;
        while (window < shares.length && shares[window] > BUDGET) {
            window++;
        }
        return window;
    }

    private static double back(Fork fork) {
        int window = within(fork);
        double[] ends = fork.all("window_end");
        return window < ends.length ? ends[window] : Double.POSITIVE_INFINITY;
    }

    /** In per cent; windows are of equal length. */
    private static double rest(Fork fork) {
        double[] shares = fork.all("window_share");
        return 100 * Arrays.stream(shares, within(fork), shares.length).average().orElse(1);
    }
}
