// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoLeaks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.opentest4j.MultipleFailuresError;

/** The end of a message: which references hold what stays alive. */
@ExtendWith(HoldersAreSearched.class)
class HoldersTest {

    private static final String HELD = "\nHeld by: ";
    private static final Map<String, String> OFF = Map.of("heapsampler.junit.holders", "false");

    static final ThreadLocal<List<Object>> LOCAL = ThreadLocal.withInitial(ArrayList::new);

    @BeforeEach
    void collectionsToldApart() {
        Collections.assumeCollections();
        Sink.forget();
        LOCAL.get().add(""); // else the test makes the list's array
    }

    @AfterEach
    void forget() {
        Sink.forget();
        LOCAL.remove();
    }

    private static String held(Throwable problem) {
        String text = problem.getMessage();
        assertThat(text).contains(HELD);
        return text.substring(text.indexOf(HELD) + 1);
    }

    static class InThreadLocal {
        @Test
        @MaxRetained("1 KB")
        void keeps() {
            LOCAL.get().add(new byte[10_000]);
        }
    }

    @Test
    void aThreadLocalIsNamed() {
        Golden.assertText("held-by-thread-local.txt", held(Kit.problem(InThreadLocal.class)));
    }

    static class WithFreshInstances {

        private Object kept;

        @AllocationTest(warmup = 1, minOf = 1)
        @MaxRetained("1 KB")
        void keeps() {
            kept = new byte[10_000];
        }
    }

    @Test
    void theFieldOfAnInstanceIsNamedAndNotWhatHoldsTheInstance() {
        Golden.assertText("held-by-instance.txt", held(Kit.problem(WithFreshInstances.class)));
    }

    static class WithInstancesThatAreGone {

        private Object kept;

        @AllocationTest(warmup = 1, minOf = 2)
        @MaxRetained("1 KB")
        void keeps() {
            kept = new byte[10_000];
        }
    }

    @Test
    void oneLineSaysWhyNothingIsFound() {
        assertThat(held(Kit.problem(WithInstancesThatAreGone.class)))
                .isEqualTo(
                        "Held by: not known, because they have died since, or their recording was"
                                + " closed (DIED).");
    }

    @Test
    void aLocalOfRunningCodeIsNamed() {
        List<Object> kept = new ArrayList<>();
        Throwable problem =
                catchThrowable(
                        () ->
                                assertAllocations(() -> kept.add(new byte[10_000]))
                                        .leavesBehindAtMost("1 KB"));
        assertThat(kept).isNotEmpty();

        assertThat(held(problem))
                .contains("element of ArrayList")
                .contains("byte[] allocated at io.heapsampler.tests.junit.HoldersTest.")
                .doesNotContain("not known");
    }

    @Test
    void parameterAndMethodTurnItOff() {
        String with = Kit.problem(LifeCases.Retaining.class).getMessage();
        Sink.forget();
        String without = Kit.problem(OFF, LifeCases.Retaining.class).getMessage();

        assertThat(with).startsWith(without + HELD);
        assertThat(without).endsWith("with warmup at @AllocationTest or assertAllocations.");
        assertThat(Kit.problem(OFF, LifeCases.Leaking.class).getMessage()).doesNotContain(HELD);
        assertThat(
                        catchThrowable(
                                () ->
                                        assertAllocations(() -> Sink.LEAK.add(new byte[10_000]))
                                                .holders(false)
                                                .leavesBehindAtMost("1 KB")))
                .hasMessageContaining("What helps")
                .message()
                .doesNotContain(HELD);
    }

    static class Allocating {
        @Test
        @MaxAllocation("1 KB")
        void allocates() {
            Sink.kilobytes(10);
        }
    }

    @Test
    void allocationsHaveNoHolders() {
        assertThat(Kit.problem(Allocating.class).getMessage()).doesNotContain(HELD);
    }

    static class Two {
        @Test
        @MaxRetained("1 KB")
        @MaxAllocation("1 KB")
        void replaces() {
            Sink.last = new byte[5_000];
        }
    }

    /** The run that is not judged frees what was. */
    @Test
    void holdersAreSearchedBeforeFurtherRuns() {
        Throwable problem = Kit.problem(Two.class);

        assertThat(problem).isInstanceOf(MultipleFailuresError.class);
        assertThat(((MultipleFailuresError) problem).getFailures())
                .anySatisfy(
                        each ->
                                assertThat(each)
                                        .hasMessageContaining(
                                                "static field"
                                                        + " io.heapsampler.tests.junit.Sink.last"));
    }

    @Test
    void aWrongParameterIsRefused() {
        assertThat(
                        Kit.problem(
                                Map.of("heapsampler.junit.holders", "perhaps"),
                                LifeCases.Retaining.class))
                .hasMessageContaining("heapsampler.junit.holders")
                .hasMessageContaining("\"perhaps\" is neither true nor false.");
    }

    static class Leaky {
        @Test
        @NoLeaks(iterations = 5)
        void leaks() {
            Sink.CACHE.put(Sink.CACHE.size(), new byte[2_000]);
        }
    }

    @Test
    void aMapIsNamed() {
        assertThat(held(Kit.problem(Leaky.class)))
                .contains("static field io.heapsampler.tests.junit.Sink.CACHE")
                .contains("value in TreeMap");
    }
}
