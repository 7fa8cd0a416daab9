// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.junit.HeapSamplerExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.opentest4j.AssertionFailedError;

/** Baselines that are set by code. */
@Tag("once")
class BuilderBaselineTest {

    private static final String HERE = "io.heapsampler.tests.junit.BuilderBaselineTest";

    private static final String RELEASE = " @" + Runtime.version().feature() + " = ";

    static int kilobytes;
    static int runs;
    static Path written;

    @TempDir Path directory;

    @BeforeEach
    void begin() {
        kilobytes = 100;
        runs = 0;
        written = directory.resolve("of-the-team.txt");
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    static class Rendering {

        @RegisterExtension
        static final HeapSamplerExtension HEAP = HeapSamplerExtension.builder().baseline().build();

        @BeforeEach
        void before() {
            runs++;
        }

        @Test
        void renders() {
            Sink.kilobytes(kilobytes);
        }

        @ParameterizedTest
        @ValueSource(ints = {7, 8})
        void rendersSome(int count) {
            Sink.kilobytes(count);
        }
    }

    private EngineExecutionResults run(Class<?> type, boolean updates) {
        return Kit.runWithBaselines(directory, updates, type);
    }

    private Path file(Class<?> type) {
        return directory.resolve(type.getName() + ".txt");
    }

    @Test
    void eachTestIsComparedWithItsOwnEntry() throws IOException {
        assertThat(Kit.problems(run(Rendering.class, true))).isEmpty();
        String key = HERE + "$Rendering.renders";
        assertThat(Files.readAllLines(file(Rendering.class)))
                .contains(
                        key + "()" + RELEASE + "101,600",
                        key + "Some(int) [1] 7" + RELEASE + "7,112",
                        key + "Some(int) [2] 8" + RELEASE + "8,128");
        EngineExecutionResults same = run(Rendering.class, false);
        assertThat(Kit.problems(same)).isEmpty();
        assertThat(Kit.entries(same)).contains("heapsampler baseline()").contains("PASSED");

        kilobytes = 150;

        assertThat(Kit.problems(run(Rendering.class, false)))
                .singleElement()
                .satisfies(
                        problem ->
                                assertThat(problem)
                                        .isInstanceOf(AssertionFailedError.class)
                                        .hasMessageStartingWith(
                                                "Rendering.renders() allocated 152,400 bytes,"
                                                        + " baseline 101,600 bytes: more than the"
                                                        + " tolerance of 10 % allows"));
    }

    @Test
    void missingEntryIsRefusedBeforeAnythingRuns() {
        assertThat(Kit.problems(run(Rendering.class, false)))
                .hasSize(3)
                .allSatisfy(
                        problem ->
                                assertThat(problem)
                                        .isInstanceOf(ExtensionConfigurationException.class)
                                        .hasMessageStartingWith("At " + HERE + "$Rendering.renders")
                                        .hasMessageContaining(
                                                ": there is no baseline for it in "
                                                        + file(Rendering.class))
                                        .hasMessageEndingWith(
                                                "Run the test once with"
                                                    + " -Dheapsampler.junit.update=true, and check"
                                                    + " the file in."));
        assertThat(runs).isZero();
    }

    @Test
    void damagedFileIsRefused() throws IOException {
        Files.writeString(file(Aborting.class), HERE + "$Aborting.aborts() many\n");

        assertThat(Kit.problems(run(Aborting.class, false)))
                .singleElement()
                .satisfies(
                        problem ->
                                assertThat(problem)
                                        .isInstanceOf(ExtensionConfigurationException.class)
                                        .hasMessageStartingWith(
                                                "At "
                                                        + HERE
                                                        + "$Aborting.aborts(): its baseline cannot"
                                                        + " be read: line 1"));
        assertThat(runs).isZero();
    }

    /** The path is known when the test runs: the extension is made for each. */
    static class Written {

        @RegisterExtension
        final HeapSamplerExtension heap =
                HeapSamplerExtension.builder()
                        .warmup(2)
                        .minOf(3)
                        .baseline(written.toString(), "60 KB")
                        .build();

        @Test
        void counts() {
            runs++;
            Sink.kilobytes(kilobytes);
        }
    }

    @Test
    void fileToleranceAndRunsAreThoseWritten() {
        assertThat(Kit.problems(run(Written.class, true))).isEmpty();
        assertThat(written).content().contains(HERE + "$Written.counts()" + RELEASE + "101,600");
        assertThat(file(Written.class)).doesNotExist();
        runs = 0;
        kilobytes = 150;
        EngineExecutionResults within = run(Written.class, false);
        assertThat(Kit.problems(within)).isEmpty();
        assertThat(Kit.entries(within))
                .contains("heapsampler baseline(\"" + written + "\", \"60 KB\")");
        assertThat(runs).isEqualTo(3); // the first that is judged is within

        runs = 0;
        kilobytes = 200;

        assertThat(Kit.problems(run(Written.class, false)))
                .singleElement()
                .satisfies(
                        problem ->
                                assertThat(problem)
                                        .hasMessageContaining("the tolerance of 60 KB allows")
                                        .hasMessageContaining(
                                                "smallest of 3 runs, after 2 others"));
        assertThat(runs).isEqualTo(5);
    }

    static class Aborting {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().baseline().noLeaks(5, "1 KB").build();

        @Test
        void aborts() {
            runs++;
            assumeTrue(false, "not here");
        }
    }

    @Test
    void abortedTestIsLeftAlone() throws IOException {
        Files.writeString(file(Aborting.class), HERE + "$Aborting.aborts()" + RELEASE + "0\n");

        EngineExecutionResults results = run(Aborting.class, false);

        results.testEvents().assertStatistics(s -> s.succeeded(0).failed(0).aborted(1));
        assertThat(Kit.problems(results).get(0)).hasMessageContaining("not here");
        assertThat(runs).isOne();
    }

    static class Dynamic {

        @RegisterExtension
        static final HeapSamplerExtension HEAP = HeapSamplerExtension.builder().baseline().build();

        @TestFactory
        Stream<DynamicTest> factory() {
            return Stream.of(10, 20)
                    .map(n -> DynamicTest.dynamicTest("of " + n, () -> Sink.kilobytes(n)));
        }
    }

    @Test
    void dynamicTestsHaveEntriesOfTheirOwn() {
        assertThat(Kit.problems(run(Dynamic.class, false)))
                .hasSize(2)
                .allSatisfy(e -> assertThat(e).hasMessageContaining("there is no baseline"));
        assertThat(Kit.problems(run(Dynamic.class, true))).isEmpty();
        assertThat(file(Dynamic.class))
                .content()
                .contains(
                        "$Dynamic.factory() of 10" + RELEASE + "10,160\n",
                        "$Dynamic.factory() of 20" + RELEASE + "20,320\n");
        assertThat(Kit.problems(run(Dynamic.class, false))).isEmpty();
    }
}
