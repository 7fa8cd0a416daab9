// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.junit.AllocationBaseline;
import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.opentest4j.AssertionFailedError;

/** The runs of {@code @AllocationTest}: each with its own set-up, and one verdict for all. */
class TemplateTest {

    /** What the class under test did, in its order. */
    private static final List<String> LOG = new ArrayList<>();

    private static int runs;

    @BeforeEach
    void begin() {
        LOG.clear();
        runs = 0;
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    /** The outcome of each invocation. */
    static List<String> invocations(EngineExecutionResults results) {
        return results.testEvents().finished().stream()
                .map(
                        event ->
                                event.getTestDescriptor().getDisplayName()
                                        + " "
                                        + event.getRequiredPayload(TestExecutionResult.class)
                                                .getStatus())
                .toList();
    }

    private static List<String> names(int warmup, int judged, int of) {
        List<String> names = new ArrayList<>();
        IntStream.rangeClosed(1, warmup)
                .forEach(i -> names.add("warm-up " + i + " of " + warmup + " SUCCESSFUL"));
        IntStream.rangeClosed(1, judged)
                .forEach(i -> names.add("run " + i + " of " + of + " SUCCESSFUL"));
        return names;
    }

    // ---- the lifecycle ----

    static class Lifecycle {

        private Iterator<String> words;
        private int calls;

        @BeforeEach
        void open() {
            words = List.of("a", "b").iterator();
            LOG.add("before");
        }

        @AllocationTest(warmup = 2, minOf = 3)
        @MaxAllocation("1 KB")
        void test() {
            calls++;
            StringBuilder text = new StringBuilder();
            words.forEachRemaining(text::append);
            Sink.last = text;
            LOG.add(text + " " + calls);
        }

        @AfterEach
        void close() {
            LOG.add("after");
        }
    }

    @Test
    void eachRunHasItsOwn() {
        EngineExecutionResults results = Kit.run(Lifecycle.class);

        assertThat(invocations(results)).isEqualTo(names(2, 1, 3));
        assertThat(LOG)
                .containsExactly(
                        "before", "ab 1", "after", "before", "ab 1", "after", "before", "ab 1",
                        "after");
    }

    /** What drained its iterator in the first run would pass if it were only called again. */
    static class Drains {

        private Iterator<byte[]> arrays;

        @BeforeEach
        void open() {
            arrays = List.of(new byte[10], new byte[20]).iterator();
        }

        @AllocationTest(warmup = 1, minOf = 2)
        @NoAllocation
        void test() {
            while (arrays.hasNext()) {
                Sink.last = arrays.next().clone();
            }
        }
    }

    @Test
    void drainedIteratorPassesNothing() {
        assertThat(Kit.problem(Drains.class))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageStartingWith(
                        "Drains.test() allocated 72 bytes, limit 0 bytes: 72 B too much.")
                .hasMessageContaining("smallest of 2 runs, after 1 other");
    }

    // ---- the verdict ----

    static class WarmsUp {

        @AllocationTest(warmup = 3, minOf = 5)
        @NoAllocation
        void test() {
            if (runs++ < 3) {
                Sink.kilobytes(1);
            }
        }
    }

    @Test
    void warmUpIsNotJudgedAndTheFirstRunWithinIsTheLast() {
        EngineExecutionResults results = Kit.run(WarmsUp.class);

        assertThat(invocations(results)).isEqualTo(names(3, 1, 5));
        assertThat(Kit.entries(results))
                .containsOnlyOnce("heapsampler @NoAllocation = 'PASSED: 0 bytes of at most 0 bytes")
                .contains("run 4");
    }

    static class Beyond {

        @AllocationTest(warmup = 1, minOf = 3)
        @MaxAllocation("1 KB")
        void test() {
            Sink.kilobytes(10);
        }
    }

    @Test
    void lastRunFails() {
        EngineExecutionResults results = Kit.run(Beyond.class);

        assertThat(invocations(results))
                .containsExactly(
                        "warm-up 1 of 1 SUCCESSFUL",
                        "run 1 of 3 SUCCESSFUL",
                        "run 2 of 3 SUCCESSFUL",
                        "run 3 of 3 FAILED");
        assertThat(Kit.problems(results))
                .singleElement()
                .asString()
                .contains("Beyond.test() allocated 10,160 bytes, limit 1 KB (1,024 bytes): ")
                .contains("smallest of 3 runs, after 1 other");
    }

    static class Own {

        @AllocationTest(warmup = 3, minOf = 5)
        @MaxAllocation(value = "1 KB", warmup = 0, minOf = 1)
        @MaxRetained(value = "1 KB", warmup = 1, minOf = 2)
        void test() {
            if (runs++ == 1) {
                Sink.LEAK.add(new byte[10_000]);
            }
        }
    }

    @Test
    void limitsWithNumbersOfTheirOwnSeeTheirRuns() {
        Collections.assumeCollections();
        EngineExecutionResults results = Kit.run(Own.class);

        assertThat(Kit.problems(results)).isEmpty();
        assertThat(invocations(results)).isEqualTo(names(1, 2, 2));
        assertThat(Kit.entries(results))
                .contains("first run")
                .containsOnlyOnce("heapsampler @MaxRetained");
    }

    static class Leaks {

        @BeforeEach
        void begin() {
            Sink.last = new byte[100];
        }

        @AllocationTest
        @NoLeaks(iterations = 5)
        void test() {
            Sink.LEAK.add(new byte[2000]);
        }

        @AllocationTest
        @NoLeaks(iterations = 5)
        void clean() {
            Sink.last = new byte[2000];
        }
    }

    @Test
    void runsAreThoseOfTheLeakTrial() {
        Collections.assumeCollections();
        EngineExecutionResults results = Kit.run(Leaks.class);

        assertThat(Kit.problems(results))
                .singleElement()
                .asString()
                .contains("Leaks.test()")
                .contains("byte[]");
        assertThat(Kit.entries(results)).contains("heapsampler @NoLeaks = 'PASSED");
    }

    static class LeaksAfterWarmUp {

        @AllocationTest(warmup = 6)
        @NoLeaks(iterations = 5)
        void byTheTest() {}

        @AllocationTest(warmup = 6)
        @NoLeaks(iterations = 5, warmup = 2)
        void byTheLimit() {}
    }

    static class LeaksByCodeAfterWarmUp {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().noLeaks(5, "0 B").build();

        @AllocationTest(warmup = 6)
        void byTheTest() {}
    }

    @Test
    void warmUpOfTheTestHoldsForLeaks() {
        Collections.assumeCollections();
        List<String> six = names(6, 5, 5);

        assertThat(invocations(Kit.run(LeaksByCodeAfterWarmUp.class))).isEqualTo(six);
        assertThat(invocations(Kit.run(LeaksAfterWarmUp.class)))
                .containsAll(six)
                .containsAll(names(2, 5, 5))
                .hasSize(six.size() + 2 + 5);
    }

    @MaxAllocation("1 KB")
    static class TwoExtensions {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().warmup(0).minOf(4).noAllocation().build();

        @AllocationTest(warmup = 1, minOf = 1)
        void test() {
            if (runs++ < 3) {
                Sink.last = new Object();
            }
        }
    }

    @Test
    void streamEndsWhenAllHaveTheirVerdict() {
        EngineExecutionResults results = Kit.run(TwoExtensions.class);

        assertThat(Kit.problems(results)).isEmpty();
        assertThat(invocations(results))
                .containsExactly(
                        "warm-up 1 of 1 SUCCESSFUL",
                        "run 1 of 1 SUCCESSFUL",
                        "run 2 SUCCESSFUL",
                        "run 3 SUCCESSFUL");
        assertThat(Kit.entries(results))
                .containsOnlyOnce("heapsampler @MaxAllocation")
                .containsOnlyOnce("heapsampler noAllocation()");
    }

    static class Baselined {

        @AllocationTest(warmup = 1, minOf = 2)
        @AllocationBaseline
        void test() {
            Sink.kilobytes(10);
        }
    }

    @Test
    void baselineHasOneEntry(@TempDir Path directory) throws Exception {
        assertThat(Kit.problems(Kit.runWithBaselines(directory, true, Baselined.class))).isEmpty();
        Path file = directory.resolve(Baselined.class.getName() + ".txt");
        assertThat(file).content().containsOnlyOnce("Baselined.test()").doesNotContain("run ");
        assertThat(Kit.problems(Kit.runWithBaselines(directory, false, Baselined.class))).isEmpty();
    }

    // ---- runs that come to nothing ----

    static class ThrowsInWarmUp {

        @AllocationTest(warmup = 3)
        @NoAllocation
        void test() {
            if (runs++ == 1) {
                throw new IllegalStateException("broken");
            }
        }
    }

    static class ThrowsInSetUp {

        @BeforeEach
        void open() {
            if (runs++ == 1) {
                throw new IllegalStateException("broken");
            }
        }

        @AllocationTest(warmup = 3)
        @NoAllocation
        void test() {}
    }

    static class Aborts {

        @AllocationTest(warmup = 3)
        @NoAllocation
        void test() {
            Assumptions.assumeTrue(runs++ != 1);
        }
    }

    @Disabled
    static class IsDisabled {

        @AllocationTest
        @NoAllocation
        void test() {
            LOG.add("ran");
        }
    }

    @Test
    void runThatFailsOrAbortsIsTheLast() {
        for (Class<?> type : List.of(ThrowsInWarmUp.class, ThrowsInSetUp.class)) {
            runs = 0;
            EngineExecutionResults results = Kit.run(type);
            assertThat(Kit.problems(results)).singleElement().asString().contains("broken");
            assertThat(invocations(results))
                    .containsExactly("warm-up 1 of 3 SUCCESSFUL", "warm-up 2 of 3 FAILED");
        }
        runs = 0;
        assertThat(invocations(Kit.run(Aborts.class)))
                .containsExactly("warm-up 1 of 3 SUCCESSFUL", "warm-up 2 of 3 ABORTED");
        assertThat(invocations(Kit.run(IsDisabled.class))).isEmpty();
        assertThat(LOG).isEmpty();
    }
}
