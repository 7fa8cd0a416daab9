// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.objectsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerState;
import io.heapsampler.Unavailability;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Another agent in the same JVM: only one can hold the sampling capability. */
@ExtendWith(CleanSampler.class)
@Tag("J20")
class OtherAgentTest {

    private static final class Marker {}

    private static void allocate(int count) {
        for (int i = 0; i < count; i++) {
            Work.sink = new Marker();
        }
    }

    private static void assertOwnedByOther(ThrowingCallable call) {
        HeapSamplingUnavailableException refusal =
                catchThrowableOfType(HeapSamplingUnavailableException.class, call);
        assertThat(refusal).isNotNull();
        assertThat(refusal.reason()).isEqualTo(Reason.OWNED_BY_OTHER);
        assertThat(refusal)
                .hasMessageStartingWith(
                        "Heap sampling is already in use in this JVM by another agent (JVMTI error"
                                + " 98, NOT_AVAILABLE). Stop it first, e.g. async-profiler"
                                + " \"stop\"; see README, \"One sampler per JVM\".");
    }

    @Test
    void startIsRefusedWhileAnotherAgentSamplesAndWorksAfterwards() {
        assertThat(Native.takeSampling()).isZero();
        try {
            SamplerState before = HeapSampler.status().state();
            assertOwnedByOther(HeapSampler::start);
            assertOwnedByOther(
                    () -> HeapSampler.start(SamplerOptions.builder().interval(7).build()));
            assertOwnedByOther(() -> Recordings.exact());

            assertThat(HeapSampler.status().state()).isEqualTo(before);
            assertThat(HeapSampler.status().isSampling()).isFalse();
            assertThat(HeapSampler.status().interval()).isEqualTo(CleanSampler.DEFAULT_INTERVAL);
            assertThat(HeapSampler.status().recordings()).isZero();
            assertThat(HeapSampler.snapshot().sites()).isEmpty();
            assertThat(HeapSampler.unavailability()).isNull();
            assertThat(HeapSampler.tryStart())
                    .extracting(Unavailability::reason)
                    .isEqualTo(Reason.OWNED_BY_OTHER);
            SamplerOptions options = SamplerOptions.builder().interval(7).build();
            assertThat(HeapSampler.tryStart(options))
                    .extracting(Unavailability::text)
                    .asString()
                    .isNotEmpty();
            assertThat(OwnWorkTest.samplerThreads()).isEmpty();
        } finally {
            assertThat(Native.giveSamplingBack()).isZero();
        }
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            allocate(10);
            assertThat(objectsOf(recording.snapshot(), Marker.class)).isEqualTo(10);
        }
    }

    @Test
    void aReportRequestedInVainIsForgotten(@TempDir Path folder) {
        SamplerOptions.Builder options = SamplerOptions.builder();
        Path file = folder.resolve("oom.txt");
        assertThat(Native.takeSampling()).isZero();
        try {
            assertOwnedByOther(() -> HeapSampler.start(options.reportOnOom(file).build()));
        } finally {
            assertThat(Native.giveSamplingBack()).isZero();
        }
        HeapSampler.start();

        assertThatIllegalStateException()
                .isThrownBy(() -> HeapSampler.start(options.maxDepth(7).build()))
                .withMessageContaining("(interval=")
                .satisfies(
                        e ->
                                assertThat(e.getMessage().split("than those requested")[0])
                                        .doesNotContain("reportOnOom"));
    }

    @Test
    void stopReleasesTheCapabilityForOtherAgents() throws Exception {
        HeapSampler.start(SamplerOptions.builder().interval(0).build());
        allocate(10);
        assertThat(Native.takeSampling()).isEqualTo(Native.NOT_AVAILABLE);
        HeapSampler.stop();

        assertThat(Native.takeSampling()).isZero();
        try {
            long before = Native.sampledByOther();
            Await.until(
                    "samples for the other agent",
                    () -> {
                        allocate(10_000);
                        return Native.sampledByOther() > before + 100;
                    });
            assertThat(objectsOf(HeapSampler.snapshot(), Marker.class)).isEqualTo(10);
            assertOwnedByOther(HeapSampler::start);
            assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
            assertThat(objectsOf(HeapSampler.snapshot(), Marker.class)).isEqualTo(10);
        } finally {
            assertThat(Native.giveSamplingBack()).isZero();
        }
        HeapSampler.start();
        assertThat(HeapSampler.status().isSampling()).isTrue();
    }

    @Test
    void capabilityIsKeptAsLongAsARecordingSamples() {
        HeapSampler.start();
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            HeapSampler.stop();
            assertThat(Native.takeSampling()).isEqualTo(Native.NOT_AVAILABLE);
            recording.stop();
            assertThat(Native.takeSampling()).isZero();
            assertThat(Native.giveSamplingBack()).isZero();
        }
    }
}
