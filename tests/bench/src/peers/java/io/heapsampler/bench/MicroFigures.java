// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.util.Locale;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the micro-benchmarks with JMH; the error is that of JMH, at 99.9 %. */
final class MicroFigures {

    private MicroFigures() {}

    public static void main(String[] arguments) throws RunnerException {
        ChainedOptionsBuilder options =
                new OptionsBuilder()
                        .include(MicroBenchmarks.class.getName())
                        .verbosity(VerboseMode.SILENT)
                        .shouldFailOnError(true)
                        .forks(Effort.of(5, 1))
                        .warmupIterations(Effort.of(3, 1))
                        .measurementIterations(Effort.of(5, 3))
                        .warmupTime(TimeValue.milliseconds(Effort.of(500, 100)))
                        .measurementTime(TimeValue.milliseconds(Effort.of(500, 100)))
                        .jvmArgsAppend("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC");
        for (RunResult run : new Runner(options.build()).run()) {
            Result<?> result = run.getPrimaryResult();
            String state = run.getParams().getParam("state");
            String name =
                    run.getParams().getBenchmark().replaceAll(".*\\.", "")
                            + (state == null ? "" : "_" + state);
            name = name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
            Report.say(
                    "micro_" + name + "_ns", new Mean(result.getScore(), result.getScoreError()));
        }
    }
}
