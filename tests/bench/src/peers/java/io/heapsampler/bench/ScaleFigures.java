// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Resampling.Rounds;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How samples per second grow from one thread to two, and what a sample costs while a million
 * different stacks come in: with each tool in several JVMs, which take turns.
 */
final class ScaleFigures {

    private static final List<String> TOOLS = List.of("off", "empty", "minimal", "async_live", "ours");
    private static final List<String> TOOLS_OF_STACKS = List.of("minimal", "async_live", "ours");
    private static final int FORKS = Effort.of(3, 1);
    private static final int FORKS_OF_STACKS = Effort.of(5, 2);
    private static final int ROUNDS = Effort.of(25, 4);
    private static final int STACKS = Effort.of(1_000_000, 50_000);
    private static final List<String> FLAGS =
            List.of("-XX:+UseSerialGC", "-Xms256m", "-Xmx256m", "-Dbench.quick=" + Effort.IS_QUICK);

    private ScaleFigures() {}

    public static void main(String[] arguments) {
        threads();
        stacks();
    }

    private static void stacks() {
        Map<String, List<Fork>> forks = new LinkedHashMap<>();
        for (int i = 0; i < FORKS_OF_STACKS; i++) {
            for (String tool : TOOLS_OF_STACKS) {
                Fork fork = Fork.run(ScaleFork.class, FLAGS, "stacks", STACKS, tool);
                forks.computeIfAbsent(tool, t -> new ArrayList<>()).add(fork);
            }
        }
        forks.forEach(
                (tool, all) -> {
                    double[] stacks = all.get(0).all("stacks");
                    for (int step = 0; step < stacks.length; step++) {
                        int which = step;
                        double[] nanos =
                                all.stream().mapToDouble(f -> f.all("nanos")[which]).toArray();
                        String name = String.format(Locale.ROOT, "%s_%.0f", tool, stacks[step]);
                        Report.say("scale_stacks_" + name + "_ns", Statistics.mean(nanos));
                    }
                });
    }

    private static void threads() {
        List<Object> arguments = new ArrayList<>(List.of("threads", ROUNDS));
        arguments.addAll(TOOLS);
        List<Fork> forks = new ArrayList<>();
        for (int i = 0; i < FORKS; i++) {
            forks.add(Fork.run(ScaleFork.class, FLAGS, arguments.toArray()));
        }
        for (String tool : TOOLS) {
            Rounds one = Rounds.of(forks, tool + "_1t");
            Rounds two = Rounds.of(forks, tool + "_2t");
            String what = tool.equals("off") ? "t_works_per_second" : "t_samples_per_second";
            Report.say("scale_" + tool + "_1" + what, Resampling.median(one));
            Report.say("scale_" + tool + "_2" + what, Resampling.median(two));
            Statistics.Mean ratio = Resampling.ratio(two, one);
            if (tool.equals("ours")) {
                Report.judge("scale_ours_ratio", ratio, 1.8, ratio.value() >= 1.8);
            } else {
                Report.say("scale_" + tool + "_ratio", ratio);
            }
        }
    }
}
