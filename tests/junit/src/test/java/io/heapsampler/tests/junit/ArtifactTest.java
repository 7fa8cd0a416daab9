// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Files of a report: written on failure, always or never, and not without end. */
class ArtifactTest {

    @TempDir Path directory;

    private String output;

    private List<Path> run(Map<String, String> parameters) throws IOException {
        PrintStream stdout = System.out;
        ByteArrayOutputStream caught = new ByteArrayOutputStream();
        System.setOut(new PrintStream(caught, true, StandardCharsets.UTF_8));
        try {
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(
                                            selectClass(AllocationCases.TooMuchOfAType.class),
                                            selectClass(RecordedCases.class))
                                    .configurationParameter(
                                            "junit.platform.reporting.output.dir",
                                            directory.toString())
                                    .configurationParameters(parameters)
                                    .build());
        } finally {
            System.setOut(stdout);
        }
        output = caught.toString(StandardCharsets.UTF_8);
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().startsWith("heap-"))
                    .sorted()
                    .toList();
        }
    }

    /** Passes, with samples. */
    static class RecordedCases {
        @Test
        @io.heapsampler.junit.MaxAllocation(value = "1 MB", types = byte[].class)
        void passes() {
            Sink.kilobytes(100);
        }
    }

    @Test
    void onFailureByDefault() throws IOException {
        List<Path> files = run(Map.of());

        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .containsExactly(
                        "heap-MaxAllocation-1-MB.collapsed.txt", "heap-MaxAllocation-1-MB.json");
        assertThat(output).contains("[[ATTACHMENT|" + files.get(0).toAbsolutePath() + "]]");
        assertThat(Files.readAllLines(files.get(0)))
                .anyMatch(
                        line ->
                                line.matches(
                                        ".*AllocationCases\\$TooMuchOfAType.aMegabyteAndMore;"
                                                + "io.heapsampler.tests.junit.Sink.kilobytes;"
                                                + "byte\\[\\] 1[12]\\d{5}"));
        assertThat(Files.readString(files.get(1)))
                .contains("\"interval\": 262,")
                .contains("{\"class\": \"byte[]\", \"bytes\": 1")
                .contains("\"io.heapsampler.tests.junit.Sink.kilobytes(Sink.java:");
    }

    @Test
    void alwaysOrNever() throws IOException {
        assertThat(run(Map.of("heapsampler.artifacts", "never"))).isEmpty();
        assertThat(run(Map.of("heapsampler.artifacts", "always"))).hasSize(4);
    }

    @Test
    void notBeyondTheLimitAndNotAttachedIfNotWanted() throws IOException {
        assertThat(run(Map.of("heapsampler.artifacts.limit", "10 B"))).isEmpty();
        assertThat(run(Map.of("heapsampler.artifacts.attachments", "false"))).hasSize(2);
        assertThat(output).doesNotContain("ATTACHMENT");
    }
}
