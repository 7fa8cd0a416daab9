// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;

/**
 * Figures over rounds in several JVMs, with an error from drawing JVMs and rounds anew many times:
 * JVMs differ, since each compiles and lays out things its own way, and rounds within them do.
 */
final class Resampling {

    private static final int DRAWS = 1_000;

    /** Rounds of a figure: a row for each JVM. */
    record Rounds(double[][] values) {

        /** The answers of some JVMs by one name. */
        static Rounds of(List<Fork> forks, String name) {
            return new Rounds(forks.stream().map(f -> f.all(name)).toArray(double[][]::new));
        }

        /** The median over all rounds. */
        double median() {
            List<Double> all = new ArrayList<>();
            for (double[] row : values) {
                for (double value : row) {
                    all.add(value);
                }
            }
            return Statistics.median(all.stream().mapToDouble(Double::doubleValue).toArray());
        }

        private Rounds drawn(Random random) {
            double[][] drawn = new double[values.length][];
            for (int i = 0; i < drawn.length; i++) {
                double[] row = values[random.nextInt(values.length)];
                drawn[i] = random.ints(row.length, 0, row.length).mapToDouble(j -> row[j]).toArray();
            }
            return new Rounds(drawn);
        }
    }

    private Resampling() {}

    static Mean median(Rounds rounds) {
        return figure(List.of(rounds), drawn -> drawn.get(0).median());
    }

    /** The ratio of two medians. */
    static Mean ratio(Rounds over, Rounds under) {
        return figure(
                List.of(over, under), drawn -> drawn.get(0).median() / drawn.get(1).median());
    }

    private static Mean figure(List<Rounds> rounds, ToDoubleFunction<List<Rounds>> figure) {
        Random random = new Random(1);
        double[] draws = new double[DRAWS];
        for (int i = 0; i < DRAWS; i++) {
            List<Rounds> drawn = new ArrayList<>();
            for (Rounds r : rounds) {
                drawn.add(r.drawn(random));
            }
            draws[i] = figure.applyAsDouble(drawn);
        }
        double low = Statistics.quantile(0.025, draws);
        double high = Statistics.quantile(0.975, draws);
        return new Mean(figure.applyAsDouble(rounds), (high - low) / 2);
    }
}
