// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.util.ArrayList;
import java.util.List;

/**
 * What tools cost an application, in one JVM: a block of work with a tool stands between two blocks
 * without, and is compared with their mean, so that neither the compiler nor the layout of this JVM
 * nor a drift shows. Arguments: an application; seconds; what to compare, each a tool, an interval
 * and how many rounds it waits for its turn, such as {@code ours@524288/1}.
 *
 * <p>What a tool has learned it keeps from block to block, as one that is always on does; and each
 * block comes after one of its kind that is not measured, so that no switch is. An arm is finished when the 95 % intervals of CPU and wall time are narrow enough.
 *
 * <p>With {@code -Dbench.slices} blocks are a tenth as long, with no collection forced between them: many more pairs, and nearer
 * to each other, where the machine is faster in one second than in the next.
 * What tracking adds to a collection is seen less then, since the blocks that were collected in are the
 * ones that the mean leaves out; the stage {@code pause} has it.
 */
final class OverheadFork {

    private static final int WARM_UP_SECONDS = Effort.of(30, 2);
    private static final int WARM_UP_SECONDS_ALONE = Effort.of(10, 2);
    private static final boolean HAS_SLICES = Boolean.getBoolean("bench.slices");
    private static final double BLOCK_NANOS =
            Effort.of(600, 150) * 1e6 * (HAS_SLICES ? 0.1 : 1);
    private static final int LEAST_BLOCKS = Effort.of(8, 2) * (HAS_SLICES ? 20 : 1);
    private static final double HALF_WIDTH = 0.005;

    private final Team team;
    private final int times;
    private final List<Arm> arms = new ArrayList<>();

    /** A tool at an interval, and how much more than nothing its blocks took. */
    private static final class Arm {

        final String label;
        final Tool tool;
        final int interval;
        final int every;
        final List<Double> cpu = new ArrayList<>();
        final List<Double> wall = new ArrayList<>();
        final List<Double> threads = new ArrayList<>();
        final List<Double> nanosPerSample = new ArrayList<>();
        final List<Double> samplesPerSecond = new ArrayList<>();
        long samples;
        double asked;

        Arm(String description) throws Exception {
            String[] parts = description.split("[@/]", -1);
            label = parts[0] + "_" + Integer.parseInt(parts[1]) / 1024 + "k";
            tool = Tool.Kind.of(parts[0]).create();
            interval = Integer.parseInt(parts[1]);
            every = Integer.parseInt(parts[2]);
        }

        boolean isDone() {
            return cpu.size() >= LEAST_BLOCKS && isNarrow(cpu) && isNarrow(wall);
        }

        private static boolean isNarrow(List<Double> values) {
            return mean(values).halfWidth() <= HALF_WIDTH;
        }

        private static Mean mean(List<Double> values) {
            return Statistics.trimmedMean(
                    values.stream().mapToDouble(Double::doubleValue).toArray());
        }

        void note(Team.Block on, Team.Block before, Team.Block after, long taken) {
            double cpuOff = (before.process() + after.process()) / 2;
            double wallOff = (before.wall() + after.wall()) / 2;
            double threadsOff = (before.threads() + after.threads()) / 2;
            cpu.add(on.process() / cpuOff - 1);
            wall.add(on.wall() / wallOff - 1);
            threads.add(on.threads() / threadsOff - 1);
            samplesPerSecond.add(taken * 1e9 / on.wall());
            samples += taken;
            if (taken > 0) {
                nanosPerSample.add((on.process() - cpuOff) / taken);
            }
        }

        void answer() {
            answerAll("_cpu", cpu);
            answerAll("_wall", wall);
            answerAll("_threads", threads);
            answerAll("_nanos_per_sample", nanosPerSample);
            answerAll("_samples_per_second", samplesPerSecond);
            Fork.answer(label + "_asked", asked / samples);
        }

        private void answerAll(String name, List<Double> values) {
            values.forEach(value -> Fork.answer(label + name, value));
        }
    }

    private OverheadFork(Team team, int times) {
        this.team = team;
        this.times = times;
    }

    public static void main(String[] arguments) throws Exception {
        InstrumenterTool.startIfAsked();
        try (Team team = new Team(1, Application.of(arguments[0])::create)) {
            double nanos = warmUp(team, arguments.length > 2 ? WARM_UP_SECONDS : WARM_UP_SECONDS_ALONE);
            int times = (int) Math.max(1, Math.round(BLOCK_NANOS / nanos));
            OverheadFork fork = new OverheadFork(team, times);
            for (String arm : List.of(arguments).subList(2, arguments.length)) {
                fork.arms.add(new Arm(arm));
            }
            fork.run(Double.parseDouble(arguments[1]));
        }
    }

    /** Works until it is compiled; returns the nanoseconds of one piece of work. */
    private static double warmUp(Team team, int seconds) throws Exception {
        List<Double> walls = new ArrayList<>();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (System.nanoTime() < end) {
            walls.add(team.work(1).wall());
        }
        List<Double> later = walls.subList(walls.size() / 2, walls.size());
        return Statistics.median(later.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private void run(double seconds) throws Exception {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        Team.Block off = blockWithout();
        for (int round = 0; isOn(end); round++) {
            for (int i = 0; i < arms.size() && isOn(end); i++) {
                Arm arm = arms.get((i + round) % arms.size());
                if (round % arm.every == 0 && !arm.isDone()) {
                    off = compare(arm, off);
                }
            }
            if (arms.isEmpty()) {
                off = blockWithout();
                Fork.answer("cpu", off.process() / times);
                Fork.answer("wall", off.wall() / times);
            }
        }
        Fork.answer("samples", InstrumenterTool.samples());
        arms.forEach(Arm::answer);
    }

    private boolean isOn(long end) {
        return System.nanoTime() < end && (arms.isEmpty() || !arms.stream().allMatch(Arm::isDone));
    }

    private Team.Block compare(Arm arm, Team.Block before) throws Exception {
        begin();
        arm.tool.start(arm.interval);
        team.prime();
        team.work(times);
        long samples = arm.tool.samples();
        double asked = arm.tool.asked();
        Team.Block on = team.work(times);
        samples = arm.tool.samples() - samples;
        arm.asked += arm.tool.asked() - asked;
        arm.tool.stop();
        Team.Block after = blockWithout();
        arm.note(on, before, after, samples);
        return after;
    }

    private Team.Block blockWithout() throws Exception {
        begin();
        team.prime();
        team.work(times);
        return team.work(times);
    }

    private static void begin() {
        if (!HAS_SLICES) {
            System.gc();
        }
    }
}
