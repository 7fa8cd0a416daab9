// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/** Measured and unmeasured tests side by side have the verdicts that they have alone. */
class ParallelTest {

    private static final Map<String, String> PARALLEL =
            Map.of(
                    "junit.jupiter.execution.parallel.enabled", "true",
                    "junit.jupiter.execution.parallel.mode.default", "concurrent",
                    "junit.jupiter.execution.parallel.config.strategy", "fixed",
                    "junit.jupiter.execution.parallel.config.fixed.parallelism", "4");

    private static final Collection<Object> KEPT = new ConcurrentLinkedQueue<>();

    private static final AtomicInteger RUNNING = new AtomicInteger();

    @Execution(ExecutionMode.CONCURRENT)
    static class Measured {

        @RepeatedTest(5)
        @NoAllocation
        void nothing() {}

        @RepeatedTest(5)
        @MaxAllocation("128 KB")
        void within() {
            Sink.kilobytes(100);
        }

        @RepeatedTest(5)
        @MaxAllocation(value = "128 KB", types = byte[].class)
        void ofAType() {
            Sink.kilobytes(100);
        }

        @RepeatedTest(5)
        @MaxAllocation("64 KB")
        void beyond() {
            Sink.kilobytes(100);
        }

        @RepeatedTest(2)
        @MaxRetained("1 KB")
        @MaxAllocation(value = "64 KB", types = byte[].class)
        void kept() {
            KEPT.add(new byte[5_000]);
        }

        @RepeatedTest(2)
        @NoLeaks(iterations = 5)
        void clean() {
            byte[] local = new byte[2_000];
            local[0]++;
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    static class Unmeasured {
        @RepeatedTest(20)
        void garbage() throws InterruptedException {
            Sink.kilobytes(2_000);
            Thread thread = new Thread(() -> Sink.kilobytes(500));
            thread.start();
            thread.join();
        }
    }

    /** Tests in which all threads count run alone. */
    @Execution(ExecutionMode.CONCURRENT)
    static class Alone {

        @RepeatedTest(3)
        @MaxAllocation(value = "200 KB", threads = ThreadScope.ALL)
        void measured() throws InterruptedException {
            assertThat(RUNNING.get()).isZero();
            Thread thread = new Thread(() -> Sink.kilobytes(50));
            thread.start();
            thread.join();
            assertThat(RUNNING.get()).isZero();
        }
    }

    private static final HeapSamplerExtension ALL =
            HeapSamplerExtension.builder()
                    .maxRetained("64 KB")
                    .threads(ThreadScope.ALL)
                    .maxAllocation("200 KB")
                    .build();

    /** Set by code, for which JUnit takes no lock. */
    @Execution(ExecutionMode.CONCURRENT)
    static class NotAlone {

        @RegisterExtension static final HeapSamplerExtension HEAP = ALL;

        static boolean hasRun;

        @Test
        void measured() {
            hasRun = true;
        }
    }

    /** A read lock does not exclude other readers. */
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock(value = Resources.GLOBAL, mode = ResourceAccessMode.READ)
    @ResourceLock("another")
    static class WithOtherLocks {

        @RegisterExtension final HeapSamplerExtension heap = ALL;

        @RepeatedTest(1)
        void measured() {
            NotAlone.hasRun = true;
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Isolated
    static class AloneByItsClass {

        @RegisterExtension static final HeapSamplerExtension HEAP = ALL;

        @RepeatedTest(2)
        void measured() {
            assertNothingElseRuns();
        }

        @TestFactory
        DynamicTest dynamic() {
            return DynamicTest.dynamicTest("made", ParallelTest::assertNothingElseRuns);
        }

        @Nested
        class Inner {
            @Test
            void measured() {
                assertNothingElseRuns();
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    static class AloneByItself {

        @RegisterExtension static final HeapSamplerExtension HEAP = ALL;

        @Test
        @ResourceLock(Resources.GLOBAL)
        void byALock() {
            assertNothingElseRuns();
        }

        @Test
        @MaxRetained(value = "1 MB", threads = ThreadScope.ALL)
        void byAnAnnotation() {
            assertNothingElseRuns();
        }

        @Test
        @NoLeaks(classLoaders = true, iterations = 5)
        void byClassLoaders() {
            assertNothingElseRuns();
        }
    }

    private static void assertNothingElseRuns() {
        assertThat(RUNNING.get()).isZero();
        Sink.kilobytes(50);
        assertThat(RUNNING.get()).isZero();
    }

    @Execution(ExecutionMode.CONCURRENT)
    static class Beside {
        @RepeatedTest(20)
        void others() {
            RUNNING.incrementAndGet();
            Sink.kilobytes(1_000);
            RUNNING.decrementAndGet();
        }
    }

    /** Neither ends before the other has begun. */
    @Execution(ExecutionMode.CONCURRENT)
    static class Together {

        @Test
        @MaxAllocation(value = "1 MB", types = byte[].class)
        void one() throws Exception {
            BOTH.await(60, TimeUnit.SECONDS);
        }

        @Test
        @MaxAllocation("1 MB")
        @MaxRetained("64 KB")
        void other() throws Exception {
            BOTH.await(60, TimeUnit.SECONDS);
        }
    }

    private static final CyclicBarrier BOTH = new CyclicBarrier(2);

    @Test
    void measuredTestsRunAtTheSameTime() {
        Collections.assumeCollections();
        EngineExecutionResults results = Kit.run(PARALLEL, Together.class);

        assertThat(Kit.problems(results)).isEmpty();
        results.testEvents().assertStatistics(s -> s.succeeded(2));
    }

    /** The JVM may add an object of the harness whose compiled code it gives up just then. */
    @Test
    void sameVerdictsSideBySide() {
        Collections.assumeCollections();
        EngineExecutionResults results = Kit.run(PARALLEL, Measured.class, Unmeasured.class);

        assertThat(Kit.problems(results))
                .hasSize(7)
                .allSatisfy(
                        problem ->
                                assertThat(problem.getMessage())
                                        .matches(
                                                "(?s)Measured.(beyond\\(\\) repetition \\d of 5"
                                                    + " allocated (101,6\\d\\d bytes|99\\.\\d KiB"
                                                    + " .*the harness)|kept\\(\\) repetition \\d of"
                                                    + " 2 left 5,0\\d{2} bytes alive).*"));
        results.testEvents().assertStatistics(s -> s.started(44).succeeded(37).failed(7));
        KEPT.clear();
    }

    @Test
    void whereAllThreadsCountNothingElseRuns() {
        EngineExecutionResults results = Kit.run(PARALLEL, Alone.class, Beside.class);

        assertThat(Kit.problems(results)).isEmpty();
        results.testEvents().assertStatistics(s -> s.succeeded(23));
    }

    @Test
    void limitOfAllThreadsThatIsSetByCodeIsRefusedBesideOthers() {
        Collections.assumeCollections();
        NotAlone.hasRun = false;

        assertThat(Kit.problem(PARALLEL, NotAlone.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(
                        "At io.heapsampler.tests.junit.ParallelTest$NotAlone.measured:"
                                + " maxAllocation(\"200 KB\"), which is set by code, counts what"
                                + " all threads allocate, but tests run in parallel"
                                + " (junit.jupiter.execution.parallel.enabled), so that those of"
                                + " other tests would count. JUnit finds locks at annotations only."
                                + " Add @Isolated to the class, or"
                                + " @ResourceLock(Resources.GLOBAL) to the test, or write the limit"
                                + " as an annotation with threads = ThreadScope.ALL, which takes"
                                + " the lock.");
        assertThat(Kit.problem(PARALLEL, WithOtherLocks.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageContaining("ParallelTest$WithOtherLocks.measured: maxAllocation(");
        assertThat(NotAlone.hasRun).isFalse();

        Kit.assertPasses(NotAlone.class, 1); // one after the other
        assertThat(NotAlone.hasRun).isTrue();
    }

    @Test
    void limitOfAllThreadsThatIsSetByCodeHoldsWhereNothingElseRuns() {
        Collections.assumeCollections();
        EngineExecutionResults results =
                Kit.run(PARALLEL, AloneByItsClass.class, AloneByItself.class, Beside.class);

        assertThat(Kit.problems(results)).isEmpty();
        results.testEvents().assertStatistics(s -> s.succeeded(27));
    }
}
