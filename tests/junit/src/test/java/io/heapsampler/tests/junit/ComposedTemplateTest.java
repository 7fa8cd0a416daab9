// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.junit.AllocationTest;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoAllocation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.Event;

/**
 * {@code @AllocationTest} with what else JUnit has: parallel runs, annotations of the author's own,
 * nested classes.
 */
class ComposedTemplateTest {

    /** What the class under test did, in its order. */
    private static final List<String> LOG = new ArrayList<>();

    @BeforeEach
    void begin() {
        LOG.clear();
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    static class Several {

        private static final ThreadLocal<Object> LAST = new ThreadLocal<>();

        private int[] numbers;

        @BeforeEach
        void begin() {
            numbers = new int[1];
            LAST.set(numbers);
        }

        private void once() {
            numbers[0]++;
            if (numbers[0] > 1 || LAST.get() != numbers) {
                throw new IllegalStateException("not its own run");
            }
        }

        @AllocationTest(warmup = 5, minOf = 2)
        @NoAllocation
        void one() {
            once();
        }

        @AllocationTest(warmup = 5, minOf = 2)
        @NoAllocation
        void two() {
            once();
        }

        @AllocationTest(warmup = 5, minOf = 2)
        @MaxAllocation("1 KB")
        void three() {
            once();
        }
    }

    @Test
    void runsFollowEachOtherInParallelExecution() {
        EngineExecutionResults results =
                Kit.run(
                        Map.of(
                                "junit.jupiter.execution.parallel.enabled", "true",
                                "junit.jupiter.execution.parallel.mode.default", "concurrent"),
                        Several.class,
                        TemplateTest.Beyond.class,
                        TemplateTest.WarmsUp.class);

        assertThat(Kit.problems(results))
                .singleElement()
                .asString()
                .contains("Beyond.test() allocated 10,160 bytes");
        results.testEvents().assertStatistics(s -> s.succeeded(3 * 6 + 3 + 4).failed(1));
    }

    @Retention(RetentionPolicy.RUNTIME)
    @AllocationTest(warmup = 1, minOf = 1)
    @NoAllocation
    @interface Quick {}

    abstract static class Base {

        @Quick
        @DisplayName("inherited")
        void inherited(TestInfo info) {
            LOG.add(info.getDisplayName());
        }
    }

    static class Composed extends Base {

        @Nested
        class Inner {

            @Quick
            @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
            void nested() {}

            @AllocationTest(warmup = 1, minOf = 1)
            @MaxAllocation("1 KB")
            void probed(AllocationProbe probe) {
                Sink.last = new byte[100];
                LOG.add("probe " + (probe.bytes() < 200));
            }
        }
    }

    @Test
    void worksWithWhatElseThereIs() {
        EngineExecutionResults results = Kit.run(Composed.class);

        assertThat(Kit.problems(results)).isEmpty();
        assertThat(TemplateTest.invocations(results)).hasSize(6);
        assertThat(LOG)
                .containsExactlyInAnyOrder(
                        "warm-up 1 of 1", "run 1 of 1", "probe true", "probe true");
        assertThat(results.allEvents().stream().map(Event::getTestDescriptor))
                .anyMatch(descriptor -> descriptor.getDisplayName().equals("inherited"));
    }
}
