// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a sample costs with each of some tools in one JVM, in blocks that take turns. Arguments: a
 * cell, which is an application or the depth of a stack; threads; rounds; interval; the tools.
 *
 * <p>The cost of a sample in a round is the processor time of the block beyond that of the round's
 * block without a tool, over its samples. {@code thread}: of the threads that allocate. {@code
 * process}: of the whole process, the collection included that lets the sampled objects go.
 */
final class CostFork {

    private static final int WARM_UP_ROUNDS = Effort.of(10, 2);
    private static final int WARM_UP_ROUNDS_OF_APPLICATIONS = Effort.of(4, 1);
    private static final int WARM_UP_SECONDS = Effort.of(6, 1);
    private static final double BLOCK_NANOS = 150e6;
    private static final int LEVELS_TO_MEASURE = 4;

    /**
     * How often stacks are worked with in a block: long enough for the first of its samples, which
     * find nothing in the processor's caches, not to count; short enough for all of them to be tracked.
     */
    private static final int TIMES_OF_STACKS = 5;

    private final Team team;
    private final int interval;
    private final int times;
    private final Map<Tool.Kind, Tool> tools = new EnumMap<>(Tool.Kind.class);

    private CostFork(Team team, int interval, int times) {
        this.team = team;
        this.interval = interval;
        this.times = times;
    }

    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        int interval = Integer.parseInt(arguments[3]);
        NativeTools.forceInterval(interval);
        String cell = arguments[0];
        boolean isStack = Character.isDigit(cell.charAt(0));
        try (Team team =
                isStack
                        ? stacks(Integer.parseInt(cell), threads)
                        : new Team(threads, Application.of(cell)::create)) {
            int times = warmUp(team, WARM_UP_SECONDS);
            times = isStack ? TIMES_OF_STACKS : times;
            CostFork fork = new CostFork(team, interval, times);
            for (String tool : List.of(arguments).subList(4, arguments.length)) {
                fork.tools.put(Tool.Kind.of(tool), Tool.Kind.of(tool).create());
            }
            fork.run(isStack ? WARM_UP_ROUNDS : WARM_UP_ROUNDS_OF_APPLICATIONS, rounds);
        }
    }

    /** Returns a team whose stacks have the given depth, as GetStackTrace sees it. */
    static Team stacks(int depth, int threads) throws Exception {
        int deepest;
        try (Team team = new Team(1, () -> StackWork.same(LEVELS_TO_MEASURE))) {
            Tool agent = Tool.Kind.MINIMAL.create();
            // Once without, since loading the classes of all this is deeper.
            team.prime();
            team.work(1);
            agent.start(0);
            team.prime();
            team.work(1);
            agent.stop();
            deepest = (int) NativeTools.deepest();
        }
        int levels = LEVELS_TO_MEASURE + depth - deepest;
        if (levels < 1) {
            throw new IllegalArgumentException("no stack is as flat as " + depth);
        }
        return new Team(threads, () -> StackWork.same(levels));
    }

    /** Works until it is compiled; returns how often to work in a block. */
    static int warmUp(Team team, int seconds) throws Exception {
        double last = 0;
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (System.nanoTime() < end) {
            last = team.work(1).wall();
        }
        return (int) Math.max(1, Math.round(BLOCK_NANOS / last));
    }

    private void run(int warmUpRounds, int rounds) throws Exception {
        List<Tool.Kind> order = new ArrayList<>(tools.keySet());
        for (int i = 0; i < warmUpRounds + rounds; i++) {
            Collections.rotate(order, 1);
            Map<Tool.Kind, double[]> blocks = new EnumMap<>(Tool.Kind.class);
            for (Tool.Kind kind : order) {
                blocks.put(kind, measure(tools.get(kind)));
            }
            if (i >= warmUpRounds) {
                answer(blocks);
            }
        }
    }

    /** Returns nanoseconds of the threads and of the process, samples, and stacks requested. */
    private double[] measure(Tool tool) throws Exception {
        System.gc();
        tool.start(interval);
        team.prime();
        long samples = tool.samples();
        double asked = tool.asked();
        long process = Native.processCpuNanos();
        Team.Block block = team.work(times);
        samples = tool.samples() - samples;
        asked = tool.asked() - asked;
        tool.settle();
        process = Native.processCpuNanos() - process;
        tool.stop();
        return new double[] {block.threads(), process, samples, asked};
    }

    private static void answer(Map<Tool.Kind, double[]> blocks) {
        double[] off = blocks.get(Tool.Kind.OFF);
        for (Map.Entry<Tool.Kind, double[]> entry : blocks.entrySet()) {
            double[] on = entry.getValue();
            if (entry.getKey() != Tool.Kind.OFF) {
                String label = entry.getKey().label();
                Fork.answer(label + "_thread", (on[0] - off[0]) / on[2]);
                Fork.answer(label + "_process", (on[1] - off[1]) / on[2]);
                Fork.answer(label + "_samples", on[2]);
                Fork.answer(label + "_asked", on[3] / on[2]);
            }
        }
    }
}
