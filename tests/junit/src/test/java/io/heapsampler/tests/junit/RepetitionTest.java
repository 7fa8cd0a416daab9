// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.AllocationBaseline;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.opentest4j.MultipleFailuresError;

/** How often a test is run, and which run an assertion judges. */
@Tag("once")
class RepetitionTest {

    /** Of the one test that runs, in all its runs. */
    private static int runs;

    @BeforeEach
    void begin() {
        runs = 0;
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    // ---- several assertions, one first run ----

    /** What only the first run does is seen by each assertion that judges it. */
    static class AtFirst {

        @Test
        @MaxAllocation(value = "4 KB", warmup = 0, minOf = 1)
        @MaxAllocation(value = "4 KB", types = byte[].class, warmup = 0, minOf = 1)
        @MaxAllocation(value = "4 KB", threads = ThreadScope.INHERITED, warmup = 0, minOf = 1)
        @MaxRetained(value = "4 KB", warmup = 0, minOf = 1)
        void all() {
            atFirst();
        }
    }

    /**
     * After the warm-up of one, the test waits for the JVM's compilers: not inside of the other.
     */
    static class WarmBesideAThread {

        @Test
        @NoAllocation(warmup = 1)
        @MaxAllocation(value = "64 KB", threads = ThreadScope.INHERITED)
        void nothing() {}
    }

    @Test
    void waitAfterTheWarmUpIsNoPartOfARun() {
        assertThat(Kit.problems(Kit.run(Map.of(), WarmBesideAThread.class))).isEmpty();
    }

    private static void atFirst() {
        if (runs++ == 0) {
            Sink.LEAK.add(new byte[10_000]);
        }
    }

    @Test
    void allSeeTheFirstRun() {
        Collections.assumeCollections();
        assertThat(Kit.problem(AtFirst.class))
                .isInstanceOfSatisfying(
                        MultipleFailuresError.class,
                        error ->
                                assertThat(error.getFailures())
                                        .extracting(RepetitionTest::firstTwoLines)
                                        .satisfiesExactly(
                                                text ->
                                                        assertThat(text)
                                                                .contains("allocated 10,0")
                                                                .contains("the JVM's own count in")
                                                                .endsWith("; first run."),
                                                text ->
                                                        assertThat(text)
                                                                .contains("allocated 10,016 bytes")
                                                                .endsWith("; first run."),
                                                text ->
                                                        assertThat(text)
                                                                .contains("and those it starts")
                                                                .endsWith("; first run."),
                                                text ->
                                                        assertThat(text)
                                                                .contains("left 10,016 bytes alive")
                                                                .contains("; first run,")));
        assertThat(runs).as("with the unjudged one, for the advice").isEqualTo(2);
    }

    private static String firstTwoLines(Throwable e) {
        String[] lines = e.getMessage().split("\n");
        return lines[0] + " " + lines[1];
    }

    /** What the assertions beside it cost does not count. */
    static class Sixteen {

        @Test
        @NoAllocation(warmup = 0, minOf = 1)
        @MaxAllocation(value = "0 B", types = byte[].class, warmup = 0, minOf = 1)
        @MaxRetained(value = "0 B", warmup = 0, minOf = 1)
        void one() {
            if (runs++ > 0) {
                throw new IllegalStateException("used up");
            }
            Sink.last = new Object();
            Sink.last = null;
        }
    }

    @Test
    void noneCountsWhatTheOthersCost() {
        Collections.assumeCollections();
        assertThat(Kit.problem(Sixteen.class))
                .hasMessageStartingWith(
                        "Sixteen.one() allocated 16 bytes, limit 0 bytes: 16 B too much.\nMeasured:"
                                + " exact");
    }

    /** Code that cannot be repeated. */
    static class Once {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().maxAllocation("8 MB").maxRetained("1 MB").build();

        @Test
        @MaxAllocation("1 MB")
        @MaxAllocation(value = "1 MB", packages = "io.heapsampler")
        @MaxRetained("1 KB")
        @AllocationBaseline(tolerance = "1 MB")
        void once() {
            if (runs++ > 0) {
                throw new IllegalStateException("used up");
            }
        }
    }

    @Test
    void whatIsWithinItsLimitsIsNotRepeatedForAnyOfThem(@TempDir Path directory) throws Exception {
        Collections.assumeCollections();
        Path file = directory.resolve(Once.class.getName() + ".txt");
        Files.writeString(
                file, Once.class.getName() + ".once() @" + Runtime.version().feature() + " = 0\n");
        EngineExecutionResults results =
                Kit.run(
                        Map.of("heapsampler.junit.baseline.directory", directory.toString()),
                        Once.class);

        assertThat(Kit.problems(results)).isEmpty();
        assertThat(Kit.entries(results).split("PASSED: .*first run", -1)).hasSize(7);
        assertThat(runs).isOne();
    }

    /** Leaks are looked for in later runs; the first is that of the others. */
    static class LeaksToo {

        @Test
        @MaxRetained(value = "1 KB", warmup = 0, minOf = 1)
        @NoLeaks(iterations = 5, warmup = 1)
        @MaxAllocation(value = "1 KB", types = byte[].class, warmup = 0, minOf = 1)
        void leaks() {
            runs++;
            Sink.LEAK.add(new byte[2_000]);
        }
    }

    @Test
    void leaksAreFoundBesideOtherFailures() {
        Collections.assumeCollections();
        assertThat(Kit.problem(LeaksToo.class))
                .isInstanceOfSatisfying(
                        MultipleFailuresError.class,
                        error -> assertThat(error.getFailures()).hasSize(3));
    }

    /** What it throws is the test's own. */
    static class Failing {

        @RepeatedTest(20) // more often than there are recordings
        @MaxAllocation(value = "1 MB", types = byte[].class)
        @MaxAllocation(value = "1 MB", packages = "io.heapsampler")
        @MaxRetained("1 KB")
        void fails() {
            throw new IllegalStateException("the test's own");
        }
    }

    @Test
    void failureOfTheTestItselfIsLeftAlone() {
        assertThat(Kit.problems(Kit.run(Failing.class)))
                .hasSize(20)
                .allSatisfy(
                        problem ->
                                assertThat(problem)
                                        .isInstanceOf(IllegalStateException.class)
                                        .hasMessage("the test's own"));
        Kit.assertPasses(Passing.class, 1);
    }

    static class Passing {
        @Test
        @MaxAllocation(value = "1 KB", types = byte[].class)
        @MaxAllocation(value = "1 KB", packages = "io.heapsampler")
        void passes() {}
    }

    // ---- warmup, minOf ----

    /** Allocates in its first five runs. */
    private static void warmUp() {
        if (runs++ < 5) {
            Sink.kilobytes(2);
        }
    }

    static class WarmingUp {

        @BeforeEach
        void begin() {
            runs = 0;
        }

        @Test
        @NoAllocation
        void none() {
            warmUp();
        }

        @Test
        @NoAllocation(types = byte[].class)
        void noneOfAType() {
            warmUp();
        }

        @Test
        @MaxAllocation("1 KB")
        void exact() {
            warmUp();
        }
    }

    @Test
    void whatTheFirstRunAllocatesCounts() {
        assertThat(Kit.problems(Kit.run(WarmingUp.class)))
                .hasSize(3)
                .allSatisfy(
                        problem ->
                                assertThat(problem)
                                        .hasMessageContaining("allocated 2,032 bytes")
                                        .hasMessageContaining("first run."));
    }

    static class WarmingUpAsWritten {

        private int calls;

        private void warmUp() {
            if (calls++ < 5) {
                Sink.kilobytes(2);
            }
        }

        @Test
        @NoAllocation(warmup = 4, minOf = 1)
        void tooFew() {
            warmUp();
        }

        @Test
        @MaxAllocation(value = "0 B", warmup = 3, minOf = 2)
        void tooFewAsWell() {
            warmUp();
        }

        @Test
        @NoAllocation(warmup = 5, minOf = 1)
        void enough() {
            warmUp();
        }

        @Test
        @MaxAllocation(value = "0 B", warmup = 4, minOf = 2)
        void enoughAsWell() {
            warmUp();
        }
    }

    @Test
    void annotationsSayHowOften() {
        assertThat(Kit.problems(Kit.run(WarmingUpAsWritten.class)))
                .extracting(e -> e.getMessage().split(" ")[0])
                .containsExactlyInAnyOrder(
                        "WarmingUpAsWritten.tooFew()", "WarmingUpAsWritten.tooFewAsWell()");
    }

    static class WarmingUpByBuilder {

        @RegisterExtension
        static final HeapSamplerExtension TOO_FEW =
                HeapSamplerExtension.builder().warmup(3).minOf(2).noAllocation().build();

        @Test
        void warmsUp() {
            warmUp();
        }
    }

    static class WarmingUpByBuilderEnough {

        @RegisterExtension
        static final HeapSamplerExtension ENOUGH =
                HeapSamplerExtension.builder().warmup(4).minOf(2).noAllocation().build();

        @Test
        void warmsUp() {
            warmUp();
        }
    }

    @Test
    void buildersSayHowOften() {
        assertThat(Kit.problem(WarmingUpByBuilder.class))
                .hasMessageContaining("smallest of 2 runs, after 3 others");
        begin();
        Kit.assertPasses(WarmingUpByBuilderEnough.class, 1);

        HeapSamplerExtension.Builder builder = HeapSamplerExtension.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.minOf(0))
                .withMessage("minOf must be 1 or more, or -1 for the default, but is 0.");
    }

    /** Always too much, and counts how often it is run. */
    static class AlwaysTooMuch {
        @Test
        @MaxAllocation(value = "1 KB", warmup = 40, minOf = 3)
        void counts() {
            runs++;
            Sink.kilobytes(2);
        }
    }

    @Test
    void everyRequestedRunIsMade() {
        Kit.problem(AlwaysTooMuch.class);
        assertThat(runs).isEqualTo(43);
    }

    /** Parameters of earlier releases repeated tests whose authors had not requested that. */
    @Test
    void noParameterRepeats() {
        Map<String, String> earlier = Map.of("heapsampler.warmup", "5", "heapsampler.minOf", "5");

        assertThat(Kit.problems(Kit.run(earlier, WarmingUp.class))).hasSize(3);
        assertThat(runs).isOne();
    }
}
