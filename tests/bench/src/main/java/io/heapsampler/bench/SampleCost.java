// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a sample costs: the same allocations at depth 32 with sampling off, with the bare library
 * and with HeapSampler, in short rounds that take turns. Arguments: rounds.
 *
 * <p>Each round samples fewer objects than HeapSampler tracks, and a collection follows it, so that
 * no sample is spared its weak reference by thinning. The bare library deletes its oldest reference
 * within the round; HeapSampler's sweeper does so after it. The time of the allocating thread
 * therefore leaves that out, and the processor time of the whole process, measured until all is
 * swept, has it in.
 */
final class SampleCost {

    private static final int DEPTH = 32;
    private static final int STACKS = 250;
    private static final int OBJECTS_PER_STACK = 20;
    private static final int OBJECTS = STACKS * OBJECTS_PER_STACK;
    private static final int WARM_UP_ROUNDS = 12;
    private static final int PATTERN_STEP = 40_503; // odd: spreads the patterns over their bits

    private static volatile Object sink;

    private final DeepCalls calls = DeepCalls.ofDepth(DEPTH, SampleCost::allocate, this::descend);

    private static void allocate() {
        for (int i = 0; i < OBJECTS_PER_STACK; i++) {
            sink = new byte[16];
        }
    }

    private void descend(DeepCalls these) {
        for (int i = 0; i < STACKS; i++) {
            these.call(i * PATTERN_STEP);
        }
    }

    /** A way to sample, or not to. */
    private enum Arm {
        OFF,
        EMPTY,
        WALK,
        BARE,
        OURS;

        final List<Double> cpu = new ArrayList<>();
        final List<Double> wall = new ArrayList<>();
        final List<Double> process = new ArrayList<>();

        void start() {
            switch (this) {
                case OFF -> {}
                case EMPTY -> Native.startBare(Native.EMPTY);
                case WALK -> Native.startBare(Native.WALK);
                case BARE -> Native.startBare(Native.ALL);
                case OURS -> HeapSampler.start(SamplerOptions.builder().interval(0).build());
            }
        }

        void stop() {
            switch (this) {
                case OFF -> {}
                case EMPTY, WALK, BARE -> Native.stop();
                case OURS -> HeapSampler.stop();
            }
        }

        long samples() {
            return switch (this) {
                case OFF -> 0;
                case EMPTY, WALK, BARE -> Native.samples();
                case OURS -> HeapSampler.status().samples();
            };
        }

        /** Lets all that the samples will ever cost happen. */
        void settle() throws InterruptedException {
            System.gc();
            for (int i = 0; this == OURS && HeapSampler.status().tracked() > OBJECTS / 10; i++) {
                if (i == 5000) {
                    throw new IllegalStateException(
                            "the dead are not swept: " + HeapSampler.status());
                }
                Thread.sleep(1);
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        SampleCost cost = new SampleCost();
        List<Arm> arms = new ArrayList<>(List.of(Arm.values()));
        for (int i = 0; i < WARM_UP_ROUNDS + rounds; i++) {
            Collections.rotate(arms, 1 + i % 2);
            for (Arm arm : arms) {
                cost.measure(arm, i >= WARM_UP_ROUNDS);
            }
        }
        cost.report();
    }

    private void measure(Arm arm, boolean counts) throws InterruptedException {
        arm.start();
        for (int i = 0; i < 1000 && arm.samples() == 0 || i < 100; i++) {
            sink = new byte[16 * 1024]; // until the interval holds for this thread
        }
        calls.call(0);
        long before = arm.samples();
        long process = Native.processCpuNanos();
        long wall = System.nanoTime();
        long cpu = Native.threadCpuNanos();
        descend(calls);
        cpu = Native.threadCpuNanos() - cpu;
        wall = System.nanoTime() - wall;
        long seen = arm.samples() - before;
        arm.settle();
        process = Native.processCpuNanos() - process;
        arm.stop();
        // While it warms up, classes are loaded and compiled beside it.
        boolean isTooMany = counts && seen > OBJECTS * 1.02;
        if (arm != Arm.OFF && (seen < OBJECTS || isTooMany)) {
            throw new IllegalStateException(arm + " saw " + seen + " samples of " + OBJECTS);
        }
        if (counts) {
            arm.cpu.add((double) cpu / OBJECTS);
            arm.wall.add((double) wall / OBJECTS);
            arm.process.add((double) process / OBJECTS);
        }
    }

    private void report() {
        Fork.answer("frames", Native.frames());
        for (Arm arm : Arm.values()) {
            String name = arm.name().toLowerCase(java.util.Locale.ROOT);
            Fork.answer(name + "_cpu", cost(arm, arm.cpu, Arm.OFF.cpu));
            Fork.answer(name + "_wall", cost(arm, arm.wall, Arm.OFF.wall));
            Fork.answer(name + "_process", cost(arm, arm.process, Arm.OFF.process));
        }
    }

    /**
     * Nanoseconds for an allocation beyond those with sampling off: the median over the rounds,
     * each against its own neighbour.
     */
    private static double cost(Arm arm, List<Double> on, List<Double> off) {
        double[] differences = new double[on.size()];
        for (int i = 0; i < differences.length; i++) {
            differences[i] = on.get(i) - (arm == Arm.OFF ? 0 : off.get(i));
        }
        return Statistics.median(differences);
    }
}
