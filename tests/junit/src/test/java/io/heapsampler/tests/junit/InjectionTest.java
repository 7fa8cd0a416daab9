// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxAllocation;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/** Parameters, and limits that are set by code. */
class InjectionTest {

    static long bytes;
    static long early;
    static HeapRecording recording;

    @ExtendWith(HeapSamplerExtension.class)
    static class Parameters {

        @Test
        void probe(AllocationProbe probe) {
            early = probe.bytes();
            probe.reset();
            Sink.kilobytes(10);
            bytes = probe.bytes();
            probe.reset();
            assertThat(probe.bytes()).isZero();
        }

        @Test
        @MaxAllocation("1 GB")
        void both(AllocationProbe probe, HeapRecording opened) {
            Sink.kilobytes(10);
            recording = opened;
            assertThat(opened.snapshot().classes())
                    .anySatisfy(
                            type -> {
                                assertThat(type.className()).isEqualTo("byte[]");
                                assertThat(type.allocated().samples()).isGreaterThanOrEqualTo(10);
                            });
        }
    }

    static class ByAnnotation {
        @Test
        @MaxAllocation("1 MB")
        void probe(AllocationProbe probe) {
            early = probe.bytes();
            probe.reset();
            Sink.kilobytes(20);
            bytes = probe.bytes();
        }
    }

    static class ByBuilder {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().maxAllocation("100 KB").maxRetained("1 KB").build();

        @Test
        void little() {
            Sink.kilobytes(10);
            Sink.last = null;
        }

        @Test
        void much() {
            Sink.kilobytes(200);
            Sink.last = null;
        }

        @Test
        @MaxAllocation("500 KB")
        void muchIsBeyondTheBuilderOnlyAndNothingOfItCounts() {
            Sink.kilobytes(200);
            Sink.last = null;
        }
    }

    @Test
    void probeCountsTheBodyExactly() {
        bytes = 0;
        recording = null;

        Kit.assertPasses(Parameters.class, 2);

        assertThat(bytes).isEqualTo(10 * 1016);
        assertThat(early).isLessThanOrEqualTo(64); // what JUnit allocates to call the body
        assertThat(recording.isOpen()).isFalse();
        assertThat(HeapSampler.status().recordings()).isZero();

        Kit.assertPasses(ByAnnotation.class, 1);
        assertThat(bytes).isEqualTo(20 * 1016);
    }

    @Test
    void builderSetsLimitsForAllTests() {
        Collections.assumeCollections();
        EngineExecutionResults results = Kit.run(ByBuilder.class);

        assertThat(Kit.problems(results))
                .hasSize(2)
                .allSatisfy(
                        problem ->
                                assertThat(problem)
                                        .hasMessageContaining(
                                                "allocated 203,200 bytes, limit 100 KB (102,400"
                                                        + " bytes)"));
    }

    static class NarrowedByBuilder {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder()
                        .types(StringBuilder.class)
                        .noAllocation()
                        .types()
                        .packages("io.heapsampler")
                        .noAllocation()
                        .packages()
                        .exclude("io.heapsampler.tests.junit.Sink")
                        .maxAllocation("1 KB")
                        .threads(ThreadScope.INHERITED)
                        .exclude()
                        .maxAllocation("1 MB")
                        .build();

        @Test
        void arraysOfOthers() {
            Sink.kilobytes(100);
        }
    }

    @Test
    void builderNarrowsTheLimitsThatFollow() {
        Kit.assertPasses(NarrowedByBuilder.class, 1);
    }

    @Test
    void probeIsForItsThread() throws Exception {
        AllocationProbe probe = AllocationProbe.ofThread();
        FutureTask<Void> other =
                new FutureTask<>(
                        () -> {
                            assertThatIllegalStateException()
                                    .isThrownBy(probe::bytes)
                                    .withMessageContaining("Make another in the thread");
                            return null;
                        });
        new Thread(other).start();
        other.get();
    }
}
