// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** A run of one of the {@link Benchmarks} with the profiler, in JVMs of its own. */
final class JmhRun {

    private static final Pattern SHARE = Pattern.compile("(?m)^ *([0-9.]+) % +(±|\\?)");

    private final ChainedOptionsBuilder options = new OptionsBuilder();
    private final List<String> jvmArgs = new ArrayList<>();
    private final Path output;
    private Map<String, Result> results = Map.of();

    private JmhRun(Class<?> benchmarks, String benchmark, String profilerOptions, Path folder) {
        output = folder.resolve("jmh.txt");
        jvmArgs.addAll(List.of(System.getProperty("jmh.test.args", "").trim().split(" +")));
        jvmArgs.removeIf(String::isEmpty);
        // Compiles in the foreground, so that the warm-up is over on a slow machine as well.
        jvmArgs.addAll(List.of("-Xmx512m", "-Xbatch"));
        options.include(benchmarks.getName() + "." + benchmark + "$")
                .addProfiler("io.heapsampler.jmh.HeapSamplerProfiler", profilerOptions)
                .forks(1)
                .warmupIterations(2)
                .warmupTime(TimeValue.milliseconds(150))
                .measurementIterations(2)
                .measurementTime(TimeValue.milliseconds(100))
                .timeout(TimeValue.minutes(2))
                .shouldFailOnError(true)
                .output(output.toString());
    }

    /** A short run of a benchmark; the folder is for its output. */
    static JmhRun of(String benchmark, String profilerOptions, Path folder) {
        return of(Benchmarks.class, benchmark, profilerOptions, folder);
    }

    /** As {@link #of(String, String, Path)}, of another class. */
    static JmhRun of(Class<?> benchmarks, String benchmark, String profilerOptions, Path folder) {
        return new JmhRun(benchmarks, benchmark, profilerOptions, folder);
    }

    /** Changes the options of JMH; those of the JVM are changed with {@link #jvmArg}. */
    JmhRun with(Consumer<ChainedOptionsBuilder> change) {
        change.accept(options);
        return this;
    }

    JmhRun jvmArg(String arg) {
        jvmArgs.add(arg);
        return this;
    }

    /** Runs it in the mode that the benchmark names, by default the average time. */
    JmhRun run() throws RunnerException {
        options.jvmArgs(jvmArgs.toArray(String[]::new));
        results = new Runner(options.build()).runSingle().getSecondaryResults();
        return this;
    }

    /** The labels of the results beside the score. */
    Set<String> labels() {
        return results.keySet();
    }

    double score(String label) {
        return results.get(label).getScore();
    }

    /** The table of sites. */
    String table() {
        return results.get(SiteTable.LABEL).extendedInfo();
    }

    /** The sum of the shares in the table, in percent. */
    double shares() {
        Matcher matcher = SHARE.matcher(table());
        return matcher.results().mapToDouble(share -> Double.parseDouble(share.group(1))).sum();
    }

    /** All that JMH printed. */
    String output() throws IOException {
        return Files.readString(output);
    }
}
