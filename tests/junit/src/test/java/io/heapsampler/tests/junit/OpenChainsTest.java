// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertj.HeapSamplerAssertions;
import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoAllocation;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.opentest4j.AssertionFailedError;

/** A test fails in which an assertion was begun that has no verdict. */
@Tag("once")
@SuppressWarnings("CheckReturnValue") // that is what this is about
class OpenChainsTest {

    private static final String TEXT =
            " ends without a verdict: end it with allocatesNothing, allocatesAtMost,"
                    + " leavesBehindAtMost, leaksAtMost or doesNotLeak.";

    private static final String TEXT_OF_ASSERTJ =
            " ends without a verdict: end it with an assertion, such as allocatesAtMost.";

    private static final HeapSnapshot SNAPSHOT = HeapSampler.snapshot();

    /** Older than the tests. */
    private static final ExecutorService POOL =
            Executors.newSingleThreadExecutor(
                    work -> {
                        Thread thread = new Thread(work);
                        thread.setDaemon(true);
                        return thread;
                    });

    private static void nothing() {}

    private static AllocationAssert begin() {
        return assertAllocations(OpenChainsTest::nothing);
    }

    @MaxAllocation("1 MB")
    static class Open {

        @Test
        void one() {
            assertAllocations(OpenChainsTest::nothing).ofType(String.class);
        }
    }

    @Test
    void messageNamesTheLine() {
        assertThat(Kit.problem(Open.class))
                .isInstanceOf(AssertionFailedError.class)
                .message()
                .matches(
                        "The assertion at io\\.heapsampler\\.tests\\.junit\\."
                                + "OpenChainsTest\\$Open\\.one\\(OpenChainsTest\\.java:\\d+\\)"
                                + TEXT);
    }

    @ExtendWith(HeapSamplerExtension.class)
    static class InEachWay {

        @BeforeEach
        void before() {
            begin().allocatesNothing();
        }

        @Test
        void inLoop() {
            for (int i = 0; i < 1000; i++) {
                begin();
            }
        }

        @Test
        @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
        void inAnotherThreadOfJUnit() {
            begin();
        }

        @AllocationTest(warmup = 0, minOf = 1)
        @MaxAllocation("1 MB")
        void inTemplate() {
            begin();
        }

        @TestFactory
        Stream<DynamicTest> dynamic() {
            return Stream.of(
                    DynamicTest.dynamicTest("open", () -> begin()),
                    DynamicTest.dynamicTest("judged", () -> begin().allocatesNothing()));
        }

        @Test
        void inThreadOfItsOwn() throws InterruptedException {
            Thread other = new Thread(OpenChainsTest::begin);
            other.start();
            other.join();
        }

        @Test
        void inPool() throws Exception {
            POOL.submit(() -> begin().ofType(String.class)).get();
        }

        @Test
        void assertionsOfAssertJ() {
            HeapSamplerAssertions.assertThat(SNAPSHOT).sitesOf(byte[].class);
        }

        @RepeatedTest(1)
        void repeated() {
            begin();
        }

        @Nested
        class Inner {

            @Test
            void nested() {
                begin().excluding("com.acme").minOf(2);
            }
        }
    }

    @Test
    void eachFailsOnce() {
        EngineExecutionResults results = Kit.run(InEachWay.class);

        results.testEvents().assertStatistics(s -> s.succeeded(1).failed(9));
        assertThat(Kit.problems(results))
                .hasSize(9)
                .allSatisfy(
                        problem ->
                                assertThat(problem.getMessage().lines())
                                        .singleElement()
                                        .asString()
                                        .contains("OpenChainsTest")
                                        .containsAnyOf(TEXT, TEXT_OF_ASSERTJ));
    }

    @NoAllocation(types = OpenChainsTest.class)
    static class Judged {

        private AllocationAssert begun;

        @BeforeEach
        void before() {
            begun = begin();
        }

        @Test
        void begunInSetUp() {
            begun.allocatesNothing();
        }

        @Test
        void judgedByAnotherThread() throws InterruptedException {
            AtomicReference<Throwable> problem = new AtomicReference<>();
            Thread other = new Thread(() -> begun.allocatesNothing());
            other.setUncaughtExceptionHandler((thread, e) -> problem.set(e));
            other.start();
            other.join();
            assertThat(problem).hasNullValue();
        }

        @Test
        void argumentsThatAreRefused() {
            assertThatIllegalArgumentException().isThrownBy(() -> begun.at("com acme"));
            assertThatIllegalArgumentException().isThrownBy(() -> begin().allocatesAtMost("much"));
            assertThatIllegalArgumentException().isThrownBy(() -> begin().minOf(0));
        }

        @Test
        void judgedLate() {}

        @AfterEach
        void after() {
            begun.allocatesNothing();
        }
    }

    @Test
    void whatIsJudgedSomewherePasses() {
        Kit.assertPasses(Judged.class, 4);
    }

    @MaxAllocation("1 MB")
    static class Fails {

        @Test
        void test() {
            begin();
            throw new IllegalStateException("its own");
        }
    }

    @Test
    void testThatFailsAnywayHasItsOwnReason() {
        assertThat(Kit.problem(Fails.class)).hasMessage("its own").hasNoSuppressedExceptions();
    }

    @ExtendWith(HeapSamplerExtension.class)
    static class HandedOn {

        private AllocationAssert begun;

        @BeforeEach
        void before() {
            begun = assertAllocations(OpenChainsTest::nothing);
        }

        @Test
        void toHelper() {
            judge(assertAllocations(OpenChainsTest::nothing).excluding("com.acme"));
            judge(begun);
        }

        private static void judge(AllocationAssert begun) {
            begun.allocatesNothing();
        }

        @Test
        void toOneThatForgets() {
            forget(assertAllocations(OpenChainsTest::nothing).excluding("com.acme"));
            judge(begun);
        }

        private static void forget(AllocationAssert begun) {
            begun.ofType(String.class);
        }

        @Test
        void leftInSetUp() {}
    }

    @Test
    void chainIsHandedOnAndJudgedOrNot() {
        EngineExecutionResults results = Kit.run(HandedOn.class);

        results.testEvents().assertStatistics(s -> s.succeeded(1).failed(2));
        assertThat(Kit.problems(results))
                .extracting(Throwable::getMessage)
                .satisfiesExactlyInAnyOrder(
                        text -> assertThat(text).contains("$HandedOn.toOneThatForgets("),
                        text -> assertThat(text).contains("$HandedOn.before("));
    }

    static class Plain {

        @Test
        void test() {
            begin();
        }
    }

    /** Documented: nothing of ours is called there. */
    @Test
    void testWithoutExtensionPasses() {
        Kit.assertPasses(Plain.class, 1);
    }

    /** What is kept of a chain does not count, and does not stay. */
    @Test
    void chainsCostNothingInMeasuredCode() {
        assertAllocations(
                        () -> {
                            for (int i = 0; i < 10_000; i++) {
                                Sink.last = begin();
                            }
                        })
                .allocatesAtMost("10 MB");
    }
}
