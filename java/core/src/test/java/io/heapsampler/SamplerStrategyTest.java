// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How samples are chosen, and which other terms may go with it. */
class SamplerStrategyTest {

    private final FakeEngine engine = new FakeEngine();
    private final ProcessSampler sampler = new ProcessSampler(engine);

    private static SamplerOptions.Builder tracked(int count) {
        return SamplerOptions.builder().maxTracked(count);
    }

    @Test
    void aStrategyIsConfiguredAndStaysWhileSamplesAreKept() {
        sampler.start(tracked(100).strategy(SamplingStrategy.allocations(500)).build());
        sampler.start(null);
        sampler.start(tracked(100).strategy(SamplingStrategy.allocations(500)).build());

        assertThat(engine.takeCalls())
                .containsExactly(
                        "configure 100, one in 500 allocations", "hold application 0", "prime");
        assertThat(sampler.status().strategy()).isEqualTo(SamplingStrategy.allocations(500));
        assertThat(sampler.status().interval()).isZero();
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(tracked(100).interval(1_000).build()))
                .withMessageContainingAll("running with other options", "one in 500 allocations");
        sampler.stop();
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(tracked(100).interval(1_000).build()))
                .withMessage(
                        "The strategy cannot change from \"one in 500 allocations\" to bytes while"
                                + " samples are kept. Call HeapSampler.reset() first, which forgets"
                                + " the samples of the stopped sampler.");

        sampler.reset();
        engine.takeCalls();
        sampler.start(tracked(100).build());
        assertThat(engine.takeCalls())
                .containsExactly("configure 100", "hold application 524288", "prime");
        assertThat(sampler.status().strategy()).isEqualTo(SamplingStrategy.bytes(524_288));
    }

    @Test
    void aCapGoesWithAnIntervalThatCanChange() {
        SamplingStrategy cap = SamplingStrategy.atMostOnePer(Duration.ofMillis(20));
        sampler.start(tracked(100).strategy(cap).interval(4_096).build());
        sampler.setInterval(8_192);

        assertThat(engine.takeCalls())
                .containsExactly(
                        "configure 100, at most one per PT0.02S",
                        "hold application 4096",
                        "prime",
                        "interval 1 8192");
    }

    @Test
    void whereAllocationsAreCountedAnIntervalIsRefused() {
        sampler.start(tracked(100).strategy(SamplingStrategy.allocations(500)).build());
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.setInterval(1_000))
                .withMessage(
                        "Samples are chosen by another strategy than bytes (one in 500"
                                + " allocations), so an interval in bytes has no meaning. Leave the"
                                + " interval away, or call HeapSampler.stop() and"
                                + " HeapSampler.reset() and start with SamplingStrategy.bytes().");
    }

    @Test
    void recordingsTakePartInTheStrategyInForce() {
        sampler.start(tracked(100).strategy(SamplingStrategy.allocations(500)).build());
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.record(RecordingOptions.builder().interval(0).build()))
                .withMessageContainingAll(
                        "one in 500 allocations", "a recording cannot have an interval of its own");
        HeapRecording recording = sampler.record(RecordingOptions.builder().build());
        assertThat(recording.options().interval()).isZero();
        assertThat(recording.toString()).contains("interval=0,");
        assertThatIllegalStateException().isThrownBy(() -> recording.setInterval(5));

        assertThat(engine.takeCalls()).containsSubsequence("hold application 0", "prime", "open 0");
        recording.close();
        sampler.stop();
        sampler.reset();
        sampler.record(RecordingOptions.builder().interval(7).build());
        assertThat(engine.takeCalls()).containsSubsequence("configure 100", "open 7");
    }

    @Test
    void aStrategyIsRefusedWhileARecordingByBytesIsOpen() {
        sampler.start(tracked(100).build());
        sampler.stop();
        sampler.reset();
        sampler.record(RecordingOptions.builder().build());
        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                sampler.start(
                                        tracked(100)
                                                .strategy(SamplingStrategy.allocations(9))
                                                .build()))
                .withMessage(
                        "The strategy cannot change from bytes to \"one in 9 allocations\" while"
                                + " samples are kept. Close the open recordings first (1).");
    }

    @Test
    void aStrategyThatIsNotSetIsNoOtherStrategy() {
        sampler.start(tracked(100).strategy(SamplingStrategy.allocations(500)).build());
        engine.takeCalls();

        sampler.start(SamplerOptions.builder().build());
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(SamplerOptions.builder().interval(4_096).build()))
                .withMessageContaining("one in 500 allocations");
        sampler.stop();
        sampler.start(SamplerOptions.builder().build());
        assertThat(engine.takeCalls())
                .containsExactly("release application", "hold application 0", "prime");
        assertThat(sampler.status().strategy()).isEqualTo(SamplingStrategy.allocations(500));
    }
}
