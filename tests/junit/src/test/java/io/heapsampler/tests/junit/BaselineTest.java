// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.junit.AllocationBaseline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.opentest4j.AssertionFailedError;

/** {@code @AllocationBaseline}: written, compared, damaged. */
@Tag("once")
class BaselineTest {

    private static final String KEY = "io.heapsampler.tests.junit.BaselineTest$Rendering.renders()";

    static int kilobytes;

    @TempDir Path directory;

    static class Rendering {
        @Test
        @AllocationBaseline(tolerance = "5 %")
        void renders() {
            Sink.kilobytes(kilobytes);
        }
    }

    @BeforeEach
    void begin() {
        kilobytes = 100;
    }

    private Path file() {
        return directory.resolve("io.heapsampler.tests.junit.BaselineTest$Rendering.txt");
    }

    private EngineExecutionResults run(boolean updates) {
        return Kit.runWithBaselines(directory, updates, Rendering.class);
    }

    @Test
    void isWrittenAndThenCompared() throws IOException {
        Files.writeString(
                file(), "# without an owner\nanother.Test.test() 17\n  17 byte[] x.Y.z\n");
        assertThat(Kit.problems(run(true))).isEmpty();
        assertThat(Files.readAllLines(file()))
                .containsSubsequence(
                        "another.Test.test() 17",
                        "  17 byte[] x.Y.z",
                        KEY + " @" + Runtime.version().feature() + " = 101,600",
                        "  101,600 byte[] io.heapsampler.tests.junit.Sink.kilobytes");

        assertThat(Kit.problems(run(false))).isEmpty();
        kilobytes = 104;
        assertThat(Kit.problems(run(false))).isEmpty();
    }

    @Test
    void growthBeyondTheToleranceFailsWithTheSitesThatChanged() {
        assertThat(Kit.problems(run(true))).isEmpty();
        kilobytes = 150;

        Throwable problem = Kit.problems(run(false)).get(0);

        assertThat(problem)
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageStartingWith(
                        "Rendering.renders() allocated 152,400 bytes, baseline 101,600 bytes: more"
                                + " than the tolerance of 5 % allows (106,680 bytes).")
                .hasMessageContaining(
                        "  changed: byte[] io.heapsampler.tests.junit.Sink.kilobytes from 99.2 KiB"
                                + " to 148.8 KiB")
                .hasMessageContaining("with -Dheapsampler.junit.update=true and check the file in.")
                .isInstanceOfSatisfying(
                        AssertionFailedError.class,
                        error ->
                                assertThat(error.getExpected().getValue())
                                        .isEqualTo("at most 106,680 bytes"));
    }

    @Test
    void lessIsReported() {
        assertThat(Kit.problems(run(true))).isEmpty();
        kilobytes = 50;

        EngineExecutionResults results = run(false);

        assertThat(Kit.problems(results)).isEmpty();
        assertThat(Kit.entries(results))
                .contains(
                        "; first run; less than the baseline: -Dheapsampler.junit.update=true"
                                + " lowers it'");
    }

    static class Dynamic {
        @TestFactory
        @AllocationBaseline
        Stream<DynamicContainer> factory() {
            return Stream.of(10, 200)
                    .map(
                            count ->
                                    DynamicContainer.dynamicContainer(
                                            "of " + count,
                                            Stream.of(
                                                    DynamicTest.dynamicTest(
                                                            "test",
                                                            () ->
                                                                    Sink.kilobytes(
                                                                            count == 10
                                                                                    ? kilobytes
                                                                                    : count)))));
        }
    }

    @Test
    void dynamicTestsHaveEntriesOfTheirOwn() {
        Map<String, String> directoryOnly =
                Map.of("heapsampler.junit.baseline.directory", directory.toString());
        Map<String, String> updating =
                Map.of(
                        "heapsampler.junit.baseline.directory",
                        directory.toString(),
                        "heapsampler.junit.update",
                        "true");
        assertThat(Kit.problems(Kit.run(directoryOnly, Dynamic.class)))
                .hasSize(2)
                .allSatisfy(e -> assertThat(e).hasMessageContaining("there is no baseline"));
        assertThat(Kit.problems(Kit.run(updating, Dynamic.class))).isEmpty();
        assertThat(Kit.problems(Kit.run(directoryOnly, Dynamic.class))).isEmpty();
        kilobytes = 150;
        assertThat(Kit.problems(Kit.run(directoryOnly, Dynamic.class)))
                .singleElement()
                .satisfies(
                        e ->
                                assertThat(e)
                                        .hasMessageStartingWith(
                                                "Dynamic.factory() of 10 / test allocated"
                                                        + " 152,400 bytes, baseline 101,600"));
    }

    @Test
    void damagedFileIsRefused() throws IOException {
        Files.writeString(file(), KEY + " many\n");

        assertThat(Kit.problems(run(false)).get(0))
                .hasMessage(
                        "At "
                                + KEY
                                + ": its baseline cannot be read: line 1 of "
                                + file()
                                + " is no line of a baseline: \""
                                + KEY
                                + " many\". Restore the file; or delete it, and write it anew with"
                                + " -Dheapsampler.junit.update=true.");
    }

    @Test
    void fileThatCannotBeReadIsRefused() throws IOException {
        Files.createDirectory(file());

        assertThat(Kit.problems(run(false)).get(0).getMessage())
                .matches(
                        Pattern.quote("At " + KEY + ": its baseline cannot be read: " + file())
                                + " \\(java\\..*Exception: .*\\)\\. Correct its permissions, or set"
                                + " heapsampler\\.junit\\.baseline\\.directory\\.");
    }
}
