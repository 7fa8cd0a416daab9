// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/** What developers read, as a whole. */
@ExtendWith(HoldersAreSearched.class)
class MessagesTest {

    private static final String CASES = "io.heapsampler.tests.junit.";

    @BeforeEach
    void collectionsToldApart() {
        Collections.assumeCollections(); // messages name live objects
        // Room for what is added, and no static initialiser in a first run.
        Sink.LEAK.addAll(java.util.Collections.nCopies(1_000, ""));
        Sink.forget();
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    @ParameterizedTest
    @CsvSource({
        "no-allocation.txt, AllocationCases$Object16",
        "max-allocation.txt, AllocationCases$TooMuch",
        "max-allocation-of-a-type.txt, AllocationCases$TooMuchOfAType",
        "max-allocation-inherited.txt, AllocationCases$TooMuchInherited",
        "not-repeatable.txt, AllocationCases$NotRepeatable",
        "max-retained.txt, LifeCases$Retaining",
        "no-leaks.txt, LifeCases$Leaking",
        "no-leaks-steps.txt, LifeCases$LeakingBySteps",
        "max-retained-replaced.txt, MessagesTest$Replacing",
        "deep.txt, MessagesTest$Deep",
        "max-allocation-estimated.txt, MessagesTest$Estimated",
        "max-allocation-large.txt, MessagesTest$Large",
    })
    void wholeMessage(String file, String cases) throws ClassNotFoundException {
        Golden.assertMessage(file, Kit.problem(Class.forName(CASES + cases)));
    }

    /** The run after the verdict, which looks whether repetition helps, frees what was judged. */
    static class Replacing {

        @Test
        @MaxRetained("1 KB")
        void replaces() {
            Sink.last = new byte[5_000];
        }
    }

    /** More frames than are shown, and a site in the JDK. */
    static class Deep {

        private static final long[] EMPTY = {};

        @Test
        @MaxAllocation("1 KB")
        void copies() {
            deeper(6);
        }

        private static void deeper(int more) {
            if (more > 0) {
                deeper(more - 1);
            } else {
                Sink.last = Arrays.copyOf(EMPTY, 1_000);
            }
        }
    }

    static class Estimated {

        @Test
        @MaxAllocation(value = "64 KB", types = byte[].class, interval = "1 KB")
        void much() {
            Sink.kilobytes(1_000);
        }
    }

    /** Beyond four megabytes, where estimates are the default. */
    static class Large {

        @Test
        @MaxAllocation(value = "5 MB", types = byte[].class)
        void much() {
            Sink.kilobytes(8_000);
        }
    }

    /** In the order of their names. */
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class Passing {

        @Test
        @MaxAllocation("1 MB")
        void counted() {
            Sink.kilobytes(10);
        }

        @Test
        @MaxAllocation(value = "8 MB", types = byte[].class)
        void estimated() {
            Sink.kilobytes(1_000);
        }

        @Test
        @MaxAllocation(value = "1 MB", threads = ThreadScope.INHERITED)
        void inherited() {
            Sink.kilobytes(10);
        }

        @Test
        @NoLeaks(iterations = 5)
        void leaksNothing() {
            Sink.kilobytes(1);
        }

        @Test
        @NoAllocation
        void none() {}

        @Test
        @MaxAllocation(value = "1 MB", types = byte[].class)
        void recorded() {
            Sink.kilobytes(10);
        }

        @AllocationTest(warmup = 1)
        @NoAllocation
        void repeated() {}

        @Test
        @MaxRetained("1 KB")
        void retains() {
            Sink.last = new byte[500];
        }
    }

    /** In report entries, and in the file for all verdicts. */
    @Test
    void verdictsThatPass(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("verdicts.txt");
        EngineExecutionResults results;
        int runs = 0;
        do { // on a busy machine the JVM may compile the harness at any moment
            Files.deleteIfExists(file);
            results =
                    Kit.run(
                            Map.of("heapsampler.junit.verdicts.file", file.toString()),
                            Passing.class);
        } while (Files.readString(file).contains("the JVM compiled the harness") && ++runs < 5);

        assertThat(Kit.problems(results)).isEmpty();
        Golden.assertText("passed.txt", Files.readString(file).stripTrailing());
        for (String line : Files.readAllLines(file)) {
            String[] parts = line.split("passed: | of Passing\\.\\w+\\(\\): ", 3);
            assertThat(Kit.entries(results))
                    .contains("heapsampler " + parts[1] + " = 'PASSED: " + parts[2] + "'");
        }
    }

    @Test
    void firstOwnFrameIsOfTheCodeThatIsSaidToBe() {
        String here = "\n     your code: io.heapsampler.tests.junit.";

        assertThat(Kit.problem(AllocationCases.TooMuch.class).getMessage()).doesNotContain(here);
        assertThat(
                        Kit.problem(
                                Map.of(
                                        "heapsampler.junit.ownCode",
                                        "com.acme, io.heapsampler.tests.junit.*Cases"),
                                AllocationCases.TooMuch.class))
                .hasMessageContaining(here + "AllocationCases$TooMuch.aMegabyteAndMore(");
        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> Sink.kilobytes(10))
                                        .ownCode("io.heapsampler.tests.junit.MessagesTest")
                                        .allocatesNothing())
                .hasMessageContaining(here + "MessagesTest.lambda$");
    }

    @Test
    void stackLeadsToTheAssertionInCodeAndToNothingElse() {
        assertThatThrownBy(() -> assertAllocations(() -> Sink.kilobytes(10)).allocatesNothing())
                .satisfies(
                        error ->
                                assertThat(error.getStackTrace()[0].toString())
                                        .startsWith(
                                                "io.heapsampler.tests.junit.MessagesTest.lambda$"))
                .satisfies(
                        error ->
                                assertThat(error.getStackTrace())
                                        .noneMatch(
                                                frame ->
                                                        frame.getClassName()
                                                                .startsWith("org.junit.")));
    }

    static class FiveSites {
        @Test
        @MaxAllocation(value = "1 KB", types = byte[].class)
        void five() {
            Sink.last = new byte[5_000];
            Sink.last = new byte[4_000];
            Sink.last = new byte[3_000];
            Sink.last = new byte[2_000];
            Sink.last = new byte[1_000];
        }
    }

    @Test
    void parameterSaysHowManySitesAreShown() {
        for (int sites : List.of(0, 1, 4)) {
            Throwable problem =
                    Kit.problem(
                            Map.of("heapsampler.junit.sites", String.valueOf(sites)),
                            FiveSites.class);

            assertThat(problem).hasMessageContaining("Most allocated, " + sites + " of 5 sites:");
            assertThat(problem.getMessage().split("\n  \\d\\. byte")).hasSize(sites + 1);
        }
    }

    @Test
    void baseline(@TempDir Path directory) {
        BaselineTest.kilobytes = 100;
        Map<String, String> updating = parameters(directory, "true");
        Map<String, String> comparing = parameters(directory, "false");
        assertThat(Kit.problems(Kit.run(updating, BaselineTest.Rendering.class))).isEmpty();
        BaselineTest.kilobytes = 150;

        Golden.assertMessage(
                "allocation-baseline.txt", Kit.problem(comparing, BaselineTest.Rendering.class));
    }

    private static Map<String, String> parameters(Path directory, String updates) {
        return Map.of(
                "heapsampler.junit.baseline.directory",
                directory.toString(),
                "heapsampler.junit.update",
                updates);
    }
}
