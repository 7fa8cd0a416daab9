// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoLeaks;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.opentest4j.AssertionFailedError;

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
                HeapSamplerExtension.builder().maxAllocation(100 * 1024).maxRetained(1024).build();

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
                                                "allocated 203,200 bytes, limit 102,400 bytes"));
    }

    /** Limits of several extensions observe the same first run. */
    static class InsideOfTheBuilder {

        @RegisterExtension
        static final HeapSamplerExtension HEAP =
                HeapSamplerExtension.builder().maxAllocation("100 KB").build();

        @Test
        @NoLeaks(perSite = "1 MB")
        void leaks() {
            Sink.kilobytes(200);
        }

        @Test
        @MaxRetained("1 MB")
        void retained() {
            Sink.kilobytes(200);
        }

        @Test
        @MaxAllocation(value = "1 MB", types = byte[].class)
        void ofAType() {
            Sink.kilobytes(200);
        }

        @Test
        @MaxAllocation("1 MB")
        void counted() {
            Sink.kilobytes(200);
        }
    }

    @Test
    void noKindOfAssertionHidesWhatItsCodeAllocates() {
        Collections.assumeCollections();
        assertThat(Kit.problems(Kit.run(InsideOfTheBuilder.class)))
                .hasSize(4)
                .allSatisfy(
                        problem ->
                                assertThat(problem)
                                        .hasMessageContaining("() allocated 203,200 bytes, limit"));
    }

    @Test
    void norInsideOfTheCode() {
        Collections.assumeCollections();
        List<Consumer<AllocationAssert>> assertions =
                List.of(
                        code -> code.leavesBehindAtMost("1 MB"),
                        code -> code.iterations(5).leaksAtMost("1 MB"),
                        code -> code.ofType(byte[].class).allocatesAtMost("1 MB"),
                        code -> code.allocatesAtMost("1 MB"));
        for (Consumer<AllocationAssert> assertion : assertions) {
            assertThatThrownBy(
                            () ->
                                    assertAllocations(
                                                    () ->
                                                            assertion.accept(
                                                                    assertAllocations(
                                                                            () ->
                                                                                    Sink.kilobytes(
                                                                                            200))))
                                            .warmup(1)
                                            .minOf(2)
                                            .allocatesAtMost("198 KB"))
                    .isInstanceOf(AssertionFailedError.class)
                    .hasMessageStartingWith("The code allocated ");
        }
        assertAllocations(
                        () ->
                                assertions
                                        .get(0)
                                        .accept(assertAllocations(() -> Sink.kilobytes(200))))
                .allocatesAtMost("210 KB");
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
}
