// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.List;

/**
 * How samples per second grow with threads, and how the cost of a sample grows with the number of
 * stacks. Arguments: {@code threads}, the rounds and the tools; or {@code stacks}, how many of them,
 * and the tool.
 */
final class ScaleFork {

    private static final int LEVELS = 26; // about 32 frames
    private static final int WARM_UP_ROUNDS = Effort.of(8, 2);
    private static final int WARM_UP_SECONDS = Effort.of(5, 1);
    private static final int WORKS_PER_BLOCK = 2;
    private static final int FASTER_WITHOUT = 50;
    private static final int STEPS = 10;

    private ScaleFork() {}

    public static void main(String[] arguments) throws Exception {
        NativeTools.forceInterval(0);
        int number = Integer.parseInt(arguments[1]);
        List<String> tools = List.of(arguments).subList(2, arguments.length);
        if (arguments[0].equals("threads")) {
            threads(number, tools);
        } else {
            stacks(number, Tool.Kind.of(tools.get(0)));
        }
    }

    private static void threads(int rounds, List<String> labels) throws Exception {
        try (Team one = new Team(1, () -> StackWork.same(LEVELS));
                Team two = new Team(2, () -> StackWork.same(LEVELS))) {
            CostFork.warmUp(two, WARM_UP_SECONDS);
            List<Tool.Kind> kinds = labels.stream().map(Tool.Kind::of).toList();
            for (int i = 0; i < WARM_UP_ROUNDS + rounds; i++) {
                for (Tool.Kind kind : kinds) {
                    double alone = perSecond(kind, one);
                    double together = perSecond(kind, two);
                    if (i >= WARM_UP_ROUNDS) {
                        Fork.answer(kind.label() + "_1t", alone);
                        Fork.answer(kind.label() + "_2t", together);
                    }
                }
            }
        }
    }

    /** Samples; without a tool pieces of work, which shows what the machine has for two threads. */
    private static double perSecond(Tool.Kind kind, Team team) throws Exception {
        Tool tool = kind.create();
        System.gc();
        tool.start(0);
        team.prime();
        long samples = tool.samples();
        int works = kind == Tool.Kind.OFF ? WORKS_PER_BLOCK * FASTER_WITHOUT : WORKS_PER_BLOCK;
        Team.Block block = team.work(works);
        samples = tool.samples() - samples;
        tool.stop();
        long done = kind == Tool.Kind.OFF ? (long) works * team.size() : samples;
        return done * 1e9 / block.wall();
    }

    /** New stacks all the time; the same without a tool shows what the calls cost. */
    private static void stacks(int stacks, Tool.Kind kind) throws Exception {
        int times = stacks / STEPS / StackWork.freshObjects();
        try (Team on = new Team(1, () -> StackWork.fresh(LEVELS));
                Team off = new Team(1, () -> StackWork.fresh(LEVELS));
                Team same = new Team(1, () -> StackWork.same(LEVELS))) {
            CostFork.warmUp(same, WARM_UP_SECONDS);
            Tool tool = kind.create();
            for (int step = 1; step <= STEPS; step++) {
                off.prime();
                double calls = off.work(times).threads();
                tool.start(0);
                on.prime();
                long samples = tool.samples();
                double sampled = on.work(times).threads();
                samples = tool.samples() - samples;
                tool.stop();
                Fork.answer("stacks", (double) step * times * StackWork.freshObjects());
                Fork.answer("nanos", (sampled - calls) / samples);
                System.gc();
            }
        }
    }
}
