// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.junit.HeapSamplerExtension;
import java.util.List;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.MultipleFailuresError;

/** {@code @MaxAllocation} and {@code @NoAllocation}: what counts, and what a failure says. */
class AllocationTest {

    @Test
    void whatIsWithinItsLimitPasses() {
        Kit.assertPasses(AllocationCases.Passing.class, 11);
    }

    @Test
    void sixteenBytesAreTooMuchWhereNothingIsAllowed() {
        for (Class<?> type :
                List.of(AllocationCases.Object16.class, AllocationCases.OneObjectAtOnce.class)) {
            Throwable problem = Kit.problem(type);

            assertThat(problem)
                    .isInstanceOf(AssertionFailedError.class)
                    .hasMessageStartingWith(
                            type.getSimpleName()
                                    + ".one() allocated 16 bytes, limit 0 bytes: 16 B too much.")
                    .hasMessageContaining("java.lang.Object: 16 B in 1 object")
                    .hasMessageContaining(
                            "at io.heapsampler.tests.junit.AllocationCases$"
                                    + type.getSimpleName()
                                    + ".one(AllocationCases.java:");
        }
    }

    @Test
    void failureHasLimitFigureSitesAndStacks() {
        AssertionFailedError error = failed(AllocationCases.TooMuch.class);

        assertThat(error.getExpected().getValue()).isEqualTo("at most 1,048,576 bytes");
        assertThat(error.getActual().getValue()).isEqualTo("1,219,200 bytes");
        assertThat(error)
                .hasMessageStartingWith(
                        "TooMuch.aMegabyteAndMore() allocated 1,219,200 bytes, limit 1 MB"
                                + " (1,048,576 bytes): 166.6 KiB (16 %) too much.\n"
                                + "Measured: exact, the JVM's own count in the test's thread;")
                .hasMessageContaining("; first run.")
                .hasMessageContaining("at io.heapsampler.tests.junit.Sink.kilobytes(Sink.java:")
                .hasMessageContaining("What helps: start at the first site;");
        assertThat(error.getSuppressed()).isEmpty();
        assertThat(error.getStackTrace())
                .extracting(StackTraceElement::getMethodName)
                .containsExactly("kilobytes", "aMegabyteAndMore");
    }

    @Test
    void limitsAsNumbersAreBytes() {
        assertAllocations(() -> Sink.kilobytes(1_200)).allocatesAtMost(2 << 20);
        assertThatThrownBy(() -> assertAllocations(() -> Sink.kilobytes(1_200)).allocatesAtMost(9))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageStartingWith("The code allocated 1,219,200 bytes, limit 9 bytes: ");
        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> Sink.kilobytes(1_200))
                                        .ofType(byte[].class)
                                        .interval(262)
                                        .allocatesAtMost(1 << 20))
                .hasMessageContaining(" samples, one every 262 bytes, of byte[] in the test's");
        List<ThrowableAssert.ThrowingCallable> negative =
                List.of(
                        () -> assertAllocations(() -> {}).allocatesAtMost(-1),
                        () -> assertAllocations(() -> {}).leavesBehindAtMost(-1),
                        () -> assertAllocations(() -> {}).leaksAtMost(-1),
                        () -> assertAllocations(() -> {}).interval(-1).allocatesAtMost(1),
                        () -> HeapSamplerExtension.builder().maxAllocation(-1),
                        () -> HeapSamplerExtension.builder().maxRetained(-1),
                        () -> HeapSamplerExtension.builder().noLeaks(5, -1));
        for (ThrowableAssert.ThrowingCallable call : negative) {
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("bytes must be 0 or more, but is -1.");
        }
    }

    @Test
    void estimateSaysWhatItRestsOn() {
        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> Sink.kilobytes(1_200))
                                        .ofType(byte[].class)
                                        .interval("262 B")
                                        .allocatesAtMost("1 MB"))
                .hasMessageContaining("Measured: estimated from ")
                .hasMessageContaining(" samples, one every 262 bytes, of byte[] in the test's");
    }

    @Test
    void otherThreadsCountIfRequested() {
        assertThat(failed(AllocationCases.TooMuchInherited.class))
                .hasMessageContaining("in the test's thread and those it starts")
                .hasMessageContaining("at io.heapsampler.tests.junit.Sink.kilobytes(Sink.java:");
        assertThat(failed(AllocationCases.TooMuchInAll.class))
                .hasMessageContaining("in all threads")
                .hasMessageContaining("at io.heapsampler.tests.junit.Sink.kilobytes(Sink.java:");
    }

    @Test
    void severalLimitsFailTogether() {
        assertThat(Kit.problem(AllocationCases.TwiceTooMuch.class))
                .isInstanceOfSatisfying(
                        MultipleFailuresError.class,
                        error -> assertThat(error.getFailures()).hasSize(2));
    }

    @Test
    void classHoldsForItsTestsAndTheNearestWins() {
        List<Throwable> problems = Kit.problems(Kit.run(AllocationCases.OnAClass.class));

        assertThat(problems)
                .extracting(problem -> problem.getMessage().split(" ")[0])
                .containsExactlyInAnyOrder("OnAClass.much()", "Inside.muchInside()");
    }

    @Test
    void everyInvocationIsMeasured() {
        List<Throwable> problems = Kit.problems(Kit.run(AllocationCases.InvokedOften.class));

        assertThat(problems)
                .extracting(problem -> problem.getMessage().split(" allocated")[0])
                .hasSize(6)
                .anyMatch(name -> name.matches("InvokedOften.parameterized\\(int\\) .*2_?000.*"))
                .contains(
                        "InvokedOften.repeated() repetition 1 of 2",
                        "InvokedOften.repeated() repetition 2 of 2",
                        "InvokedOften.dynamic() dynamic 2000",
                        "InvokedOften.inContainers() inside / much",
                        "InvokedOften.template(Integer) with 2000");
    }

    @Test
    void failureOfTheTestItselfIsLeftAlone() {
        assertThat(Kit.problem(AllocationCases.FailingByItself.class))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the test's own");
    }

    @Test
    void theMeasuredBytesAreReported() {
        EngineExecutionResults results = Kit.run(AllocationCases.Passing.class);

        assertThat(Kit.entries(results))
                .contains("@NoAllocation")
                .contains("PASSED: 0 bytes of at most 0 bytes; exact, the JVM's own count")
                .contains("first run");
    }

    private static AssertionFailedError failed(Class<?> type) {
        Throwable problem = Kit.problem(type);
        assertThat(problem).isInstanceOf(AssertionFailedError.class);
        return (AssertionFailedError) problem;
    }
}
