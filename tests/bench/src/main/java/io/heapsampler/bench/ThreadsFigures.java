// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * What a sample costs where each request has a thread of its own: {@code tests/bench/run threads}.
 * {@code wall} is the difference between requests with samples and without, the mean over batches
 * of their means; {@code median} is that of their medians, which a busy machine disturbs less;
 * {@code cpu} is what the sampler itself has measured. {@code asked} counts stacks that the JVM was
 * requested, those included that were compared with its answer.
 */
final class ThreadsFigures {

    private static final int THREADS = Effort.of(80_000, 5_000);
    private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-Xms256m", "-Xmx256m");

    private ThreadsFigures() {}

    public static void main(String[] arguments) {
        List<String> kinds = new ArrayList<>(List.of("platform"));
        if (NamedThreads.HAS_VIRTUAL) {
            kinds.add("virtual");
        }
        for (String kind : kinds) {
            Fork fork = Fork.run(ThreadsFork.class, FLAGS, THREADS, kind);
            String name = "threads_" + kind;
            Report.say(name + "_threads", fork.get("threads"));
            Report.say(name + "_samples", fork.get("samples"));
            Report.judge(name + "_sample_wall_us", difference(fork, "_mean"), 3);
            Report.judge(name + "_sample_median_us", difference(fork, ""), 3);
            Report.say(name + "_sample_cpu_us", fork.get("cpu_ns") / 1000);
            Report.say(name + "_compared_percent", fork.get("compared_percent"));
            Report.judge(name + "_asked_percent", fork.get("asked_percent"), 2);
        }
        Report.table();
        Report.exit();
    }

    private static Statistics.Mean difference(Fork fork, String suffix) {
        Statistics.Mean off = Statistics.trimmedMean(fork.all("off_ns" + suffix));
        Statistics.Mean on = Statistics.trimmedMean(fork.all("on_ns" + suffix));
        return new Statistics.Mean(
                (on.value() - off.value()) / 1000,
                Math.hypot(on.halfWidth(), off.halfWidth()) / 1000);
    }
}
