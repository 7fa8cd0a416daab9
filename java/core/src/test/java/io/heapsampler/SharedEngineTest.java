// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.internal.InForce;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.OvertakenException;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The process-wide sampler beside agents and other copies, which use the same engine. */
class SharedEngineTest {

    private final FakeEngine engine = new FakeEngine();
    private final ProcessSampler sampler = new ProcessSampler(engine);

    private static SamplerOptions.Builder tracked(int count) {
        return SamplerOptions.builder().maxTracked(count);
    }

    /** What an agent has asked for; null: no report. */
    private Path report;

    private InForce started(int interval, int strategy, long amount) {
        Limits limits = tracked(100).build().limits();
        return new InForce(
                1, 9, interval >= 0, interval, 5_000_000, strategy, amount, limits, 1, report);
    }

    @Test
    void theReportThatAnAgentHasAskedForIsJoined() {
        Path file = Path.of("/tmp/heapsampler-unit-oom.txt");
        report = file;
        engine.inForce = started(4_096, 0, 0);
        sampler.start(tracked(100).interval(4_096).reportOnOom(file).build());
        sampler.start(tracked(100).interval(4_096).build());
        assertThat(engine.takeCalls()).isEmpty();
        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                sampler.start(
                                        tracked(100)
                                                .reportOnOom(Path.of("/tmp/heapsampler-unit-x"))
                                                .build()))
                .withMessageContaining("reportOnOom=/tmp/heapsampler-unit-oom.txt");
    }

    @Test
    void whatAnAgentHasStartedIsJoined() {
        engine.inForce = started(4_096, 0, 0);
        SamplerStatus status = sampler.status();
        assertThat(status.state()).isEqualTo(SamplerState.RUNNING);
        assertThat(status.interval()).isEqualTo(4_096);
        assertThat(status.runningSince()).isEqualTo(Instant.ofEpochSecond(5));

        sampler.start(null);
        sampler.start(tracked(100).interval(4_096).build());
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(tracked(50).interval(4_096).build()))
                .withMessageContaining("running with other options");
        sampler.snapshot(SnapshotOptions.defaults());
        sampler.stop();
        assertThat(engine.takeCalls()).containsExactly("snapshot 9", "pause 9");
    }

    @Test
    void theStrategyOfAnAgentIsTakenOver() {
        engine.inForce = started(0, Strategy.Kind.ALLOCATIONS.ordinal(), 700);
        assertThat(sampler.status().strategy()).isEqualTo(Strategy.allocations(700));
        assertThat(sampler.status().interval()).isZero();
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.record(RecordingOptions.builder().interval(5).build()))
                .withMessageContaining("one in 700 allocations");
    }

    @Test
    void whatAnotherHasEndedIsOver() {
        sampler.start(tracked(100).build());
        Limits limits = tracked(100).build().limits();
        engine.inForce = new InForce(0, 0, false, 0, 0, 0, 0, limits, 1, null);
        assertThat(sampler.status().state()).isEqualTo(SamplerState.STOPPED);
        assertThat(sampler.status().runningSince()).isNull();
        assertThat(sampler.snapshot(SnapshotOptions.defaults()).sites()).isEmpty();
        engine.takeCalls();
        sampler.start(tracked(50).build());
        assertThat(engine.takeCalls()).containsExactly("configure 50", "open 524288", "prime");
    }

    @Test
    void whoIsOvertakenByTheSameOptionsHasStarted() {
        engine.overtaking = () -> engine.inForce = started(4_096, 0, 0);
        sampler.start(tracked(100).interval(4_096).build());
        assertThat(sampler.status().state()).isEqualTo(SamplerState.RUNNING);
        assertThat(engine.takeCalls()).containsExactly("configure 100");
    }

    @Test
    void whoIsOvertakenByAnotherStrategyIsToldOfThat() {
        int counting = Strategy.Kind.ALLOCATIONS.ordinal();
        engine.overtaking = () -> engine.inForce = started(0, counting, 700);
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(tracked(100).interval(4_096).build()))
                .withMessageContainingAll(
                        "running with other options", "one in 700 allocations", "interval=4096");
    }

    @Test
    void aRecordingThatIsOvertakenByAnotherStrategyHasNoIntervalEither() {
        int counting = Strategy.Kind.ALLOCATIONS.ordinal();
        engine.overtaking = () -> engine.inForce = started(0, counting, 700);
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.record(RecordingOptions.builder().interval(5).build()))
                .withMessageContaining("one in 700 allocations");
    }

    @Test
    void whoseTermsWereReplacedAgreesOnThemAgain() {
        engine.overtaking = () -> {};
        sampler.start(tracked(100).build());
        assertThat(engine.takeCalls())
                .containsExactly("configure 100", "configure 100", "open 524288", "prime");
    }

    @Test
    void whoIsAlwaysOvertakenIsTold() {
        engine.failure = new OvertakenException("always");
        assertThatExceptionOfType(OvertakenException.class)
                .isThrownBy(() -> sampler.start(tracked(100).build()))
                .withMessage("always");
        assertThat(sampler.status().state()).isEqualTo(SamplerState.NEW);
    }

    @Test
    void whatAnotherHasClosedMeanwhileIsClosed() {
        Limits limits = tracked(100).build().limits();
        InForce nothing = new InForce(0, 0, false, 0, 0, 0, 0, limits, 1, null);
        engine.inForce = new InForce(1, 9, false, 4_096, 0, 0, 0, limits, 1, null);
        engine.closing = () -> engine.inForce = nothing;
        sampler.reset();
        assertThat(engine.takeCalls()).isEmpty();
        assertThat(sampler.snapshot(SnapshotOptions.defaults()).sites()).isEmpty();
    }
}
