// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.util.ArrayList;
import java.util.List;

/**
 * What a stopped HeapSampler costs an application: pairs of JVMs, of which one starts and stops it,
 * the other never does. Before and after, the two work in turns, a slice each; the figure is how the
 * ratio of their CPU times changes.
 */
final class StoppedPairs {

    private static final int PAIRS = Effort.of(2, 1);
    private static final int SLICES = Effort.of(30, 3);

    private StoppedPairs() {}

    static void report(String prefix, String application) {
        List<Double> changes = new ArrayList<>();
        for (int i = 0; i < PAIRS; i++) {
            try (Fork sampling = fork(application);
                    Fork never = fork(application)) {
                sampling.ask("load");
                double[] before = logRatios(sampling, never);
                sampling.ask("start");
                sampling.ask("work");
                never.ask("work");
                sampling.ask("stop");
                double[] after = logRatios(sampling, never);
                for (int j = 0; j < SLICES; j++) {
                    changes.add(after[j] - before[j]);
                }
            }
        }
        Mean log =
                Statistics.trimmedMean(
                        changes.stream().mapToDouble(Double::doubleValue).toArray());
        Report.say(
                prefix + "stopped_cpu_percent",
                new Mean(Math.expm1(log.value()) * 100, log.halfWidth() * 100));
    }

    private static Fork fork(String application) {
        return Fork.start(StoppedFork.class, Options.serial(), application);
    }

    private static double[] logRatios(Fork a, Fork b) {
        double[] ratios = new double[SLICES];
        for (int i = 0; i < SLICES; i++) {
            ratios[i] = Math.log(a.ask("measure") / b.ask("measure"));
        }
        return ratios;
    }
}
