// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.heapsampler.junit.AllocationBaseline;
import io.heapsampler.support.JvmProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Several JVMs of one build write baselines into one file. */
@Tag("once")
class ForkedBaselinesTest {

    private static final int JVMS = 4;
    private static final int TESTS = Tier.of(20, 100);

    static class Many {
        @TestFactory
        @AllocationBaseline(warmup = 0, minOf = 1)
        Stream<DynamicTest> tests() {
            String jvm = System.getProperty("jvm");
            return IntStream.range(0, TESTS)
                    .mapToObj(
                            i ->
                                    DynamicTest.dynamicTest(
                                            jvm + " of " + i, () -> Sink.kilobytes(1)));
        }
    }

    /** Runs the tests; exits with the number of those that failed. */
    static final class Main {
        public static void main(String[] arguments) {
            SummaryGeneratingListener summary = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selectClass(Many.class))
                                    .configurationParameters(
                                            Map.of(
                                                    "heapsampler.junit.baseline.directory",
                                                    arguments[0],
                                                    "heapsampler.junit.update",
                                                    arguments[1]))
                                    .build(),
                            summary);
            summary.getSummary().printFailuresTo(new java.io.PrintWriter(System.out, true), 3);
            System.exit((int) summary.getSummary().getTotalFailureCount());
        }
    }

    private static List<JvmProcess.End> run(Path directory, boolean updates) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(JVMS);
        try {
            List<Future<JvmProcess.End>> jvms = new ArrayList<>();
            for (int jvm = 0; jvm < JVMS; jvm++) {
                List<String> command =
                        List.of(
                                "-Djvm=" + jvm,
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                directory.toString(),
                                String.valueOf(updates));
                jvms.add(threads.submit(() -> ForkedJvm.run(command)));
            }
            List<JvmProcess.End> ends = new ArrayList<>();
            for (Future<JvmProcess.End> jvm : jvms) {
                ends.add(jvm.get());
            }
            return ends;
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void noEntryIsLost(@TempDir Path directory) throws Exception {
        assertThat(run(directory, true))
                .allSatisfy(end -> assertThat(end.code()).as(end.output()).isZero());

        Path file = directory.resolve(Many.class.getName() + ".txt");
        String release = " @" + Runtime.version().feature() + " = ";
        assertThat(Files.readAllLines(file))
                .filteredOn(line -> line.contains(release))
                .hasSize(JVMS * TESTS);
        assertThat(directory).isDirectoryNotContaining("glob:**.lock");
    }
}
