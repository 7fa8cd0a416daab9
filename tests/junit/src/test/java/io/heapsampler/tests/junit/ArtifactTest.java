// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.ClassTotals;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Files of a report: written on failure, always or never, and within limits. */
class ArtifactTest {

    @TempDir Path directory;

    private final List<String> entries = new ArrayList<>();

    private String output;

    private List<Path> run(Map<String, String> parameters) throws IOException {
        return run(parameters, AllocationCases.TooMuchOfAType.class, RecordedCases.class);
    }

    private List<Path> run(Map<String, String> parameters, Class<?>... types) throws IOException {
        List<ClassSelector> selectors =
                Arrays.stream(types).map(DiscoverySelectors::selectClass).toList();
        PrintStream stdout = System.out;
        ByteArrayOutputStream caught = new ByteArrayOutputStream();
        System.setOut(new PrintStream(caught, true, StandardCharsets.UTF_8));
        try {
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selectors)
                                    .configurationParameter(
                                            "junit.platform.reporting.output.dir",
                                            directory.toString())
                                    .configurationParameters(parameters)
                                    .build(),
                            new TestExecutionListener() {
                                @Override
                                public void reportingEntryPublished(
                                        TestIdentifier test, ReportEntry entry) {
                                    entry.getKeyValuePairs()
                                            .forEach((key, text) -> entries.add(key + "=" + text));
                                }
                            });
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

    private void delete() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Passes, with samples. */
    static class RecordedCases {
        @Test
        @MaxAllocation(value = "1 MB", types = byte[].class)
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
                        "heap-MaxAllocation-1-MB.collapsed",
                        "heap-MaxAllocation-1-MB.html",
                        "heap-MaxAllocation-1-MB.json",
                        "heap-MaxAllocation-1-MB.pb.gz");
        assertThat(Files.readAllLines(files.get(0)))
                .anyMatch(
                        line ->
                                line.matches(
                                        ".*AllocationCases\\$TooMuchOfAType.aMegabyteAndMore;"
                                                + "io.heapsampler.tests.junit.Sink.kilobytes;"
                                                + "byte\\[\\] 1[12]\\d{5}"));
        assertThat(Files.readString(files.get(1))).startsWith("<!DOCTYPE html>");
        assertThat(Files.readString(files.get(2)))
                .contains("\"byte[]\"")
                .contains("io.heapsampler.tests.junit.Sink");
        try (InputStream in = new GZIPInputStream(Files.newInputStream(files.get(3)))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1))
                    .contains("alloc_space")
                    .contains("io.heapsampler.tests.junit.Sink.kilobytes");
        }
    }

    @Test
    @Tag("once")
    void inTheFormatsThatAreWanted() throws IOException {
        List<Path> files = run(Map.of("heapsampler.junit.artifacts.formats", "hsnap, CSV"));

        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .containsExactly("heap-MaxAllocation-1-MB.csv", "heap-MaxAllocation-1-MB.hsnap");
        assertThat(HeapSnapshot.read(files.get(1)).classes())
                .extracting(ClassTotals::className)
                .as("with other classes, which tell what the JVM's share is")
                .contains("byte[]");
    }

    /** Two limits of one name. */
    static class TwoOfOneName {
        @Test
        @MaxAllocation(value = "1 KB", types = byte[].class)
        @MaxAllocation(value = "1 KB", packages = "io.heapsampler")
        void passes() {}
    }

    @Test
    @Tag("once")
    void filesOfTwoLimitsHaveTwoNames() throws IOException {
        Map<String, String> parameters =
                Map.of(
                        "heapsampler.junit.artifacts",
                        "always",
                        "heapsampler.junit.artifacts.formats",
                        "csv");

        assertThat(run(parameters, TwoOfOneName.class))
                .extracting(file -> file.getFileName().toString())
                .containsExactly("heap-MaxAllocation-1-KB-2.csv", "heap-MaxAllocation-1-KB.csv");
    }

    private static Map<String, String> always(String format) {
        return Map.of(
                "heapsampler.junit.artifacts",
                "always",
                "heapsampler.junit.artifacts.formats",
                format);
    }

    @Test
    void alwaysOrNever() throws IOException {
        assertThat(run(Map.of("heapsampler.junit.artifacts", "never"))).isEmpty();
        assertThat(run(Map.of("heapsampler.junit.artifacts", "always"))).hasSize(8);
    }

    /**
     * Each has a recording, and so a file, passed or failed; an exact count that is kept has none.
     */
    static class Every {

        @Test
        @NoAllocation
        void nothing() {}

        @Test
        @MaxAllocation(value = "1 MB", types = byte[].class)
        void estimated() {
            Sink.kilobytes(100);
        }

        @Test
        @MaxAllocation("1 KB")
        void beyond() {
            Sink.kilobytes(100);
        }

        @Test
        @MaxRetained("1 KB")
        void retained() {
            Sink.kilobytes(100);
        }

        @Test
        @NoLeaks
        void leaks() {
            Sink.kilobytes(100);
        }
    }

    @Test
    void alwaysIsForEveryAssertionWithARecording() throws IOException {
        Collections.assumeCollections();

        List<Path> files = run(always("hsnap"), Every.class);

        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .containsExactlyInAnyOrder(
                        "heap-MaxAllocation-1-MB.hsnap",
                        "heap-MaxAllocation-1-KB.hsnap",
                        "heap-MaxRetained-1-KB.hsnap",
                        "heap-NoLeaks.hsnap");
        for (Path file : files) {
            assertThat(HeapSnapshot.read(file).classes())
                    .as(file.toString())
                    .extracting(ClassTotals::className)
                    .contains("byte[]");
        }
    }

    /** Stacks are cut, so that it is unknown whether they count. */
    static class NotMeasured {
        @Test
        @MaxAllocation(value = "1 KB", exclude = "io.heapsampler.tests.junit.SoundnessCases.deep")
        void uncertain() {
            SoundnessCases.deep(0);
        }
    }

    @Test
    @Tag("once")
    void testThatWasNotMeasuredLeavesWhatWasSeenOfIt() throws IOException {
        for (String policy : List.of("fail", "abort", "ignore")) {
            Map<String, String> parameters = new HashMap<>(always("collapsed"));
            parameters.put("heapsampler.junit.whenNotMeasured", policy);

            List<Path> files = run(parameters, NotMeasured.class);

            assertThat(files)
                    .as(policy)
                    .extracting(file -> file.getFileName().toString())
                    .containsExactly("heap-MaxAllocation-1-KB.collapsed");
            assertThat(Files.readString(files.get(0))).contains("SoundnessCases.deepen");
            delete();
        }
    }

    @Test
    @Tag("once")
    void onFailureThatIsForTestsThatFailForIt() throws IOException {
        Map<String, String> parameters = Map.of("heapsampler.junit.artifacts.formats", "csv");
        assertThat(run(parameters, NotMeasured.class)).hasSize(1);
        delete();

        assertThat(
                        run(
                                Map.of(
                                        "heapsampler.junit.artifacts.formats",
                                        "csv",
                                        "heapsampler.junit.whenNotMeasured",
                                        "abort"),
                                NotMeasured.class))
                .isEmpty();
    }

    @Test
    void pathsArePrintedIfWanted() throws IOException {
        String key = "heapsampler.junit.artifacts.attachments";

        for (Path file : run(Map.of(key, "always"))) {
            assertThat(output).contains("[[ATTACHMENT|" + file.toAbsolutePath() + "]]");
        }
        run(Map.of(key, "never"));
        assertThat(output).doesNotContain("ATTACHMENT");
    }

    @Test
    void fileBeyondALimitIsLeftOutAndNamed() throws IOException {
        for (String limit : List.of("artifacts.limit", "artifacts.testLimit")) {
            List<String> logged = new ArrayList<>();
            Handler handler = new Log(logged);
            Logger logger = Logger.getLogger("io.heapsampler.junit");
            logger.addHandler(handler);
            List<Path> files = run(Map.of("heapsampler.junit." + limit, "20 KB"));
            logger.removeHandler(handler);

            assertThat(files)
                    .as(limit)
                    .extracting(file -> file.getFileName().toString())
                    .contains("heap-MaxAllocation-1-MB.pb.gz")
                    .doesNotContain("heap-MaxAllocation-1-MB.html");
            assertThat(entries)
                    .contains(
                            "heapsampler heap-MaxAllocation-1-MB.html=not written: with it, files"
                                    + " would be larger than heapsampler.junit."
                                    + limit
                                    + " allows");
            assertThat(logged)
                    .singleElement()
                    .asString()
                    .matches(
                            "heap-MaxAllocation-1-MB\\.\\w+ of"
                                + " TooMuchOfAType\\.aMegabyteAndMore\\(\\) was not written: with"
                                + " it, files would be larger than heapsampler\\.junit\\."
                                    + limit
                                    + " allows\\. Later ones are named in report entries only\\.");
            delete();
        }
    }

    /** Keeps what is logged. */
    private static final class Log extends Handler {

        private final List<String> logged;

        Log(List<String> logged) {
            this.logged = logged;
        }

        @Override
        public void publish(LogRecord line) {
            logged.add(new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
