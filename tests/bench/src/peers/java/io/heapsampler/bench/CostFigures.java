// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Resampling.Rounds;
import io.heapsampler.bench.Statistics.Mean;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a sample costs: HeapSampler against the empty callback, the minimal agent, async-profiler and
 * ddprof, all at the same interval, on stacks of known depth and on applications. Arguments: the
 * cells wanted, none for all.
 */
final class CostFigures {

    private static final List<String> CELLS = List.of("8", "32", "62", "h2", "javac");
    private static final List<String> CLOCKS = List.of("thread", "process");
    private static final int INTERVAL_OF_APPLICATIONS = 4096;
    private static final String SLOW = "ours_without_fast_stacks";

    /** What runs in one JVM. */
    private enum Group {
        SWITCHABLE("off", "empty", "minimal", "async_alloc", "async_live", "ours"),
        DDPROF("off", "ddprof_live"),
        SLOW_STACKS("off", "ours");

        final List<String> tools;

        Group(String... tools) {
            this.tools = List.of(tools);
        }
    }

    private CostFigures() {}

    public static void main(String[] arguments) {
        for (int threads = 1; threads <= 2; threads++) {
            for (String cell : arguments.length == 0 ? CELLS : List.of(arguments)) {
                report(cell, threads, measure(cell, threads));
            }
        }
    }

    /** Returns the forks of each tool. */
    private static Map<String, List<Fork>> measure(String cell, int threads) {
        boolean isStack = isStack(cell);
        int forks = Effort.of(3, 1);
        int rounds = isStack ? Effort.of(12, 3) : Effort.of(8, 2);
        int interval = isStack ? 0 : INTERVAL_OF_APPLICATIONS;
        Map<String, List<Fork>> result = new TreeMap<>();
        for (int i = 0; i < forks; i++) {
            for (Group group : Group.values()) {
                if (!group.tools.stream().allMatch(tool -> Tool.Kind.of(tool).isUsable())) {
                    continue;
                }
                List<Object> all = new ArrayList<>(List.of(cell, threads, rounds, interval));
                all.addAll(group.tools);
                Fork fork = Fork.run(CostFork.class, flags(group), all.toArray());
                for (String tool : group.tools.subList(1, group.tools.size())) {
                    String name = group == Group.SLOW_STACKS ? SLOW : tool;
                    result.computeIfAbsent(name, n -> new ArrayList<>()).add(fork);
                }
            }
        }
        return result;
    }

    private static List<String> flags(Group group) {
        List<String> flags = new ArrayList<>(Options.serial());
        if (group == Group.SLOW_STACKS) {
            flags.add("-Dheapsampler.fastStacks=off");
        }
        return flags;
    }

    private static void report(String cell, int threads, Map<String, List<Fork>> forks) {
        String prefix = "cost_" + (isStack(cell) ? "depth" + cell : cell) + "_" + threads + "t_";
        for (String tool : forks.keySet()) {
            for (String clock : CLOCKS) {
                Mean cost = Resampling.median(rounds(forks, tool, clock));
                Report.say(prefix + tool + "_" + clock + "_ns", cost);
            }
            Report.say(prefix + tool + "_samples", rounds(forks, tool, "samples").median());
            if (tool.equals("ours")) {
                // Where this is not nearly 0, it is not the price of hits that was measured.
                Report.say(prefix + "ours_asked_share", rounds(forks, tool, "asked").median());
            }
        }
        for (String clock : CLOCKS) {
            Rounds ours = rounds(forks, "ours", clock);
            Mean toEmpty = Resampling.ratio(ours, rounds(forks, "empty", clock));
            Mean toPeer = Resampling.ratio(ours, rounds(forks, "async_live", clock));
            judge(prefix + "ours_to_empty_" + clock, toEmpty, cell.equals("32") ? 3 : 0);
            judge(prefix + "ours_to_async_live_" + clock, toPeer, target(cell));
        }
    }

    private static double target(String cell) {
        return switch (cell) {
            case "32" -> 0.15;
            case "h2" -> 0.25;
            case "javac" -> 0.40;
            default -> 0;
        };
    }

    private static void judge(String name, Mean ratio, double target) {
        if (target > 0) {
            Report.judge(name, ratio, target);
        } else {
            Report.say(name, ratio);
        }
    }

    private static Rounds rounds(Map<String, List<Fork>> forks, String tool, String clock) {
        String name = (tool.equals(SLOW) ? "ours" : tool) + "_" + clock;
        return Rounds.of(forks.get(tool), name);
    }

    private static boolean isStack(String cell) {
        return Character.isDigit(cell.charAt(0));
    }
}
