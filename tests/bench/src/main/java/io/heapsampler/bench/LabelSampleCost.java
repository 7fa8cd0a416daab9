// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapLabels;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.LabelTotals;
import io.heapsampler.RecordingOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * What labels add to the price of a sample: the same allocations at depth 32 with labels and
 * without, in short rounds that take turns, while every allocation is sampled. Arguments: rounds.
 * The measured time begins after the scope was opened and ends before it is closed.
 */
final class LabelSampleCost {

    private static final int DEPTH = 32;
    private static final int STACKS = 250;
    private static final int OBJECTS_PER_STACK = 20;
    private static final int OBJECTS = STACKS * OBJECTS_PER_STACK;
    private static final int WARM_UP_ROUNDS = 12;
    private static final int PATTERN_STEP = 40_503; // odd: spreads the patterns over their bits
    private static final int SWEEP_MILLIS = 5_000;

    private static final HeapLabels LABELS =
            HeapLabels.of("endpoint", "GET /orders").and("tenant", "acme");

    @SuppressWarnings("unused") // objects may not be optimised away
    private static volatile Object sink;

    private final DeepCalls calls =
            DeepCalls.ofDepth(DEPTH, LabelSampleCost::allocate, this::descend);

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

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        LabelSampleCost cost = new LabelSampleCost();
        RecordingOptions all =
                RecordingOptions.builder().interval(0).thread(Thread.currentThread()).build();
        List<Double> with = new ArrayList<>();
        List<Double> without = new ArrayList<>();
        try (HeapRecording recording = HeapSampler.record(all)) {
            for (int i = 0; i < WARM_UP_ROUNDS + rounds; i++) {
                boolean isFirst = i % 2 == 0;
                double first = cost.measure(isFirst);
                double second = cost.measure(!isFirst);
                if (i >= WARM_UP_ROUNDS) {
                    with.add(isFirst ? first : second);
                    without.add(isFirst ? second : first);
                }
            }
            check(recording.snapshot().labels("endpoint"));
        }
        Fork.answer("with", median(with));
        Fork.answer("without", median(without));
        for (int i = 0; i < rounds; i++) {
            Fork.answer("more", with.get(i) - without.get(i));
        }
    }

    /** About half of the samples have labels; the warm-up has some without. */
    private static void check(List<LabelTotals> endpoints) {
        long with = 0;
        long without = 0;
        for (LabelTotals each : endpoints) {
            with += each.isNone() ? 0 : each.allocated().samples();
            without += each.isNone() ? each.allocated().samples() : 0;
        }
        if (with < 0.8 * without || with > 1.2 * without) {
            throw new IllegalStateException(with + " samples with labels, " + without + " without");
        }
    }

    /** Returns the processor time of a sample, in nanoseconds. */
    private double measure(boolean isLabelled) throws InterruptedException {
        long cpu;
        HeapLabels.Scope scope = isLabelled ? LABELS.open() : null;
        try {
            calls.call(0);
            cpu = Native.threadCpuNanos();
            descend(calls);
            cpu = Native.threadCpuNanos() - cpu;
        } finally {
            if (scope != null) {
                scope.close();
            }
        }
        sweep();
        return (double) cpu / OBJECTS;
    }

    /** Makes room for the next round, so that each of its samples gets its weak reference. */
    private static void sweep() throws InterruptedException {
        System.gc();
        for (int i = 0; HeapSampler.status().tracked() > OBJECTS / 10; i++) {
            if (i == SWEEP_MILLIS) {
                throw new IllegalStateException("the dead are not swept: " + HeapSampler.status());
            }
            Thread.sleep(1);
        }
    }

    private static double median(List<Double> values) {
        return Statistics.median(values.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
