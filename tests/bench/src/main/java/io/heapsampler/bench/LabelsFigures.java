// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * What labels cost: {@code tests/bench/run labels}. Arguments: the figures wanted, none for all.
 * {@code scope}: a scope, opened and closed, in processor time of its thread. {@code sample}: a
 * sample with labels against one without. {@code threads}: whether a million virtual threads give
 * their samples the right labels, and what native memory that takes.
 */
final class LabelsFigures {

    private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-Xms512m", "-Xmx512m");
    private static final List<String> FIGURES = List.of("scope", "sample", "threads");
    private static final int SCOPE_ROUNDS = Effort.of(200, 20);
    private static final int SAMPLE_FORKS = Effort.of(6, 1);
    private static final int SAMPLE_ROUNDS = Effort.of(100, 20);
    private static final int THREADS = Effort.of(1_000_000, 50_000);

    private LabelsFigures() {}

    public static void main(String[] arguments) {
        for (String figure : arguments.length == 0 ? FIGURES : List.of(arguments)) {
            switch (figure) {
                case "scope" -> scope();
                case "sample" -> sample();
                case "threads" -> threads();
                default ->
                        throw new IllegalArgumentException("no figure " + figure + ": " + FIGURES);
            }
        }
        Report.table();
        Report.exit();
    }

    private static void scope() {
        Fork fork = Fork.run(LabelScopes.class, FLAGS, SCOPE_ROUNDS);
        Report.say("labels_scope_unloaded_pairs", fork.get("unloaded_pairs"));
        Report.judge("labels_scope_unloaded_bytes", fork.get("unloaded_bytes"), 0);
        Report.say("labels_scope_unloaded_ns", mean(fork, "unloaded_ns"));
        Report.judge("labels_scope_platform_ns", mean(fork, "platform_ns"), 30);
        Report.say("labels_scope_platform_bytes", fork.get("platform_bytes"));
        Report.say("labels_scope_stopped_ns", mean(fork, "stopped_ns"));
        if (NamedThreads.HAS_VIRTUAL) {
            Report.judge("labels_scope_virtual_ns", mean(fork, "virtual_ns"), 60);
        }
    }

    private static Statistics.Mean mean(Fork fork, String name) {
        return Statistics.trimmedMean(fork.all(name));
    }

    private static void sample() {
        List<Fork> forks = new ArrayList<>();
        for (int i = 0; i < SAMPLE_FORKS; i++) {
            forks.add(Fork.run(LabelSampleCost.class, FLAGS, SAMPLE_ROUNDS));
        }
        Report.say("labels_sample_without_ns", Fork.mean(forks, "without", 1));
        Report.say("labels_sample_with_ns", Fork.mean(forks, "with", 1));
        double[] more = forks.stream().flatMapToDouble(LabelsFigures::differences).toArray();
        Report.judge("labels_sample_more_ns", Statistics.trimmedMean(more), 10);
    }

    private static DoubleStream differences(Fork fork) {
        return Arrays.stream(fork.all("more"));
    }

    private static void threads() {
        if (!NamedThreads.HAS_VIRTUAL) {
            System.out.println("labels_threads: this JVM has no virtual threads");
            return;
        }
        Fork fork = Fork.run(LabelThreads.class, FLAGS, THREADS);
        Report.say("labels_threads_threads", fork.get("threads"));
        Report.judgeLeast("labels_threads_samples", fork.get("samples"), THREADS);
        Report.judge("labels_threads_wrong", fork.get("wrong"), 0);
        Report.judge("labels_threads_without", fork.get("without"), 0);
        Report.judge("labels_threads_full", fork.get("full"), 0);
        Report.say("labels_threads_memory_before_mib", fork.get("before") / (1 << 20));
        Report.say("labels_threads_memory_after_mib", fork.get("after") / (1 << 20));
        Report.judge("labels_threads_memory_ratio", fork.get("after") / fork.get("before"), 1.05);
    }
}
