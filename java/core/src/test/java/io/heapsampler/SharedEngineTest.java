// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.internal.OvertakenException;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The process-wide sampler beside agents and other copies, which use the same engine. */
class SharedEngineTest {

    private final FakeEngine engine = new FakeEngine();
    private final ProcessSampler sampler = new ProcessSampler(engine);

    /** The copy of the classes that an agent brings. */
    private final ProcessSampler other = new ProcessSampler(engine);

    private static SamplerOptions.Builder tracked(int count) {
        return SamplerOptions.builder().maxTracked(count);
    }

    private SamplerHold agent(SamplerOptions.Builder options) {
        SamplerHold hold = other.share("agent", options.build());
        engine.takeCalls();
        return hold;
    }

    @Test
    void theReportOfAnAgentIsJoined() {
        Path file = Path.of("/tmp/heapsampler-unit-oom.txt");
        agent(tracked(100).interval(4_096).reportOnOom(file));
        sampler.start(tracked(100).interval(4_096).reportOnOom(file).build());
        assertThat(engine.takeCalls()).containsExactly("hold application 4096");
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
    void aReportDisturbsNoHolderThatHasNone() {
        agent(tracked(100));
        Path file = Path.of("/tmp/heapsampler-unit-oom.txt");
        sampler.start(SamplerOptions.builder().reportOnOom(file).build());
        assertThat(engine.takeCalls()).containsExactly("report " + file, "hold application any");
    }

    @Test
    void whatAnAgentHasStartedIsJoined() {
        agent(tracked(100).interval(4_096));
        SamplerStatus status = sampler.status();
        assertThat(status.state()).isEqualTo(SamplerState.RUNNING);
        assertThat(status.holders()).containsExactly("agent");
        assertThat(status.interval()).isEqualTo(4_096);
        assertThat(status.startedAt()).isEqualTo(Instant.ofEpochSecond(5));

        sampler.start(null);
        sampler.start(tracked(100).interval(4_096).build());
        assertThat(sampler.status().holders()).containsExactly("agent", "application");
        sampler.snapshot(SnapshotOptions.defaults());
        sampler.stop();
        assertThat(engine.takeCalls())
                .containsExactly("hold application any", "snapshot 1", "release application");
        assertThat(sampler.status().state()).isEqualTo(SamplerState.RUNNING);
        assertThat(sampler.status().holders()).containsExactly("agent");
    }

    @Test
    void aFinerIntervalOfAnAgentSatisfiesTheApplication() {
        agent(tracked(100).interval(65_536));
        sampler.start(SamplerOptions.builder().interval(524_288).build());
        assertThat(engine.takeCalls()).containsExactly("hold application 524288");
        assertThat(sampler.status().interval()).isEqualTo(65_536);
    }

    @Test
    void theFinestIntervalIsInForceWhileItsHolderStays() {
        SamplerHold agent = agent(tracked(100).interval(65_536));
        sampler.start(SamplerOptions.builder().interval(4_096).build());
        assertThat(engine.takeCalls()).containsExactly("hold application 4096", "prime");
        assertThat(other.status().interval()).isEqualTo(4_096);
        sampler.stop();
        assertThat(other.status().interval()).isEqualTo(65_536);
        sampler.start(null);
        agent.close();
        assertThat(sampler.status().interval()).isEqualTo(524_288);
    }

    @Test
    void otherLimitsThanThoseOfOthersAreRefusedByName() {
        agent(tracked(100).interval(4_096));
        other.share("doctor", null);
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(tracked(50).build()))
                .withMessageStartingWith(
                        "The sampler is running with other options (interval=4096, ")
                .withMessageEndingWith(
                        "It is held by agent, doctor. Call HeapSampler.start() without the options"
                                + " that differ, or start before the others do.");
        assertThat(sampler.status().holders()).containsExactly("agent", "doctor");
    }

    /** What would help the application alone would end what others sample. */
    @Test
    void theRefusalNamesARemedyForItsCaller() {
        SamplerOptions other = tracked(50).build();
        sampler.start(tracked(100).build());
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(other))
                .withMessageEndingWith(
                        "Change the interval with HeapSampler.setInterval(). For other limits,"
                                + " another strategy or another report file call"
                                + " HeapSampler.stop() and HeapSampler.reset() first.");
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.share("doctor", other))
                .withMessageEndingWith(
                        "It is held by application. Call HeapSampler.share() without the options"
                                + " that differ.");
        sampler.share("agent", null);
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(other))
                .withMessageEndingWith(
                        "It is held by application, agent. Call HeapSampler.start() without the"
                                + " options that differ, or start before the others do.");
        sampler.stop();
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.share("doctor", other))
                .withMessageEndingWith(
                        "It is held by agent. Call HeapSampler.share() without the options that"
                                + " differ.");
    }

    @Test
    void closingAHoldEndsNothingOfOthers() {
        SamplerHold doctor = sampler.share("doctor", null);
        sampler.start(null);
        engine.takeCalls();
        assertThat(doctor.isOpen()).isTrue();
        doctor.close();
        doctor.close();
        assertThat(engine.takeCalls()).containsExactly("release doctor");
        assertThat(doctor.isOpen()).isFalse();
        assertThat(sampler.status().state()).isEqualTo(SamplerState.RUNNING);
        sampler.stop();
        assertThat(sampler.status().state()).isEqualTo(SamplerState.STOPPED);
        sampler.snapshot(SnapshotOptions.defaults());
        assertThat(engine.takeCalls()).contains("snapshot 1");
    }

    @Test
    void withoutTheApplicationTheSamplesGoWithTheLastHold() {
        Path file = Path.of("/tmp/heapsampler-unit-oom.txt");
        SamplerHold agent = agent(tracked(100).reportOnOom(file));
        SamplerHold doctor = sampler.share("doctor", null);
        sampler.stop();
        agent.close();
        assertThat(sampler.status().state()).isEqualTo(SamplerState.RUNNING);
        engine.takeCalls();
        doctor.close();
        assertThat(engine.takeCalls()).containsExactly("release doctor", "report null");
        assertThat(sampler.status().state()).isEqualTo(SamplerState.STOPPED);
        sampler.start(tracked(50).build());
        assertThat(engine.takeCalls()).contains("configure 50");
    }

    @Test
    void samplesOfTheApplicationOutlastAHold() {
        sampler.start(null);
        sampler.stop();
        engine.takeCalls();
        sampler.share("doctor", null).close();
        sampler.snapshot(SnapshotOptions.defaults());
        assertThat(engine.takeCalls())
                .containsExactly("hold doctor 524288", "prime", "release doctor", "snapshot 1");
    }

    @Test
    void eachCopyHasAHoldOfItsOwn() {
        sampler.start(null);
        other.start(null);
        assertThat(sampler.status().holders()).containsExactly("application", "application");
        other.stop();
        other.stop();
        assertThat(sampler.status().state()).isEqualTo(SamplerState.RUNNING);
        sampler.stop();
        assertThat(other.status().state()).isEqualTo(SamplerState.STOPPED);
    }

    @Test
    void aNameThatIsNoneIsRefused() {
        for (String name : new String[] {"", "two words", "a".repeat(32), "ä"}) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> sampler.share(name, null))
                    .withMessageContaining("but is \"" + name + "\"");
        }
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> sampler.share("application", null))
                .withMessageContaining("reserved");
        assertThat(engine.takeCalls()).isEmpty();
    }

    @Test
    void thereIsABoundOnHolders() {
        for (int i = 0; i < 32; i++) {
            sampler.share("doctor", null);
        }
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(null))
                .withMessageContainingAll("32 holders", "doctor, doctor", "Close holds");
    }

    @Test
    void theStrategyOfAnAgentIsTakenOver() {
        agent(tracked(100).strategy(SamplingStrategy.allocations(700)));
        assertThat(sampler.status().strategy()).isEqualTo(SamplingStrategy.allocations(700));
        assertThat(sampler.status().interval()).isZero();
        sampler.start(null);
        assertThat(sampler.status().interval()).isZero();
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.record(RecordingOptions.builder().interval(5).build()))
                .withMessageContaining("one in 700 allocations");
    }

    @Test
    void aRecordingDoesNotChangeTheStrategyOfTheNextStart() {
        sampler.start(tracked(100).strategy(SamplingStrategy.allocations(700)).build());
        sampler.stop();
        sampler.reset();
        HeapRecording recording = sampler.record(RecordingOptions.builder().interval(5).build());
        recording.snapshot(); // here the engine is read
        recording.close();
        assertThat(sampler.status().strategy()).isEqualTo(SamplingStrategy.allocations(700));
        sampler.start(null);
        assertThat(sampler.status().strategy()).isEqualTo(SamplingStrategy.allocations(700));
    }

    /** Its strategy is in force, and what is in force counts more than what was used last. */
    @Test
    void whileARecordingIsOpenAStartFollowsItsStrategy() {
        sampler.start(tracked(100).strategy(SamplingStrategy.allocations(700)).build());
        sampler.stop();
        sampler.reset();
        HeapRecording recording = sampler.record(RecordingOptions.builder().interval(5).build());
        engine.takeCalls();
        sampler.start(null);
        assertThat(engine.takeCalls()).containsExactly("hold application 524288", "prime");
        assertThat(sampler.status().strategy()).isEqualTo(SamplingStrategy.bytes(524_288));
        recording.close();
    }

    @Test
    void whatAnotherHasForgottenIsOver() {
        sampler.start(tracked(100).build());
        sampler.stop();
        other.reset();
        assertThat(sampler.status().state()).isEqualTo(SamplerState.STOPPED);
        assertThat(sampler.status().startedAt()).isNull();
        assertThat(sampler.snapshot(SnapshotOptions.defaults()).sites()).isEmpty();
        engine.takeCalls();
        sampler.start(tracked(50).build());
        assertThat(engine.takeCalls())
                .containsExactly("configure 50", "hold application 524288", "prime");
    }

    @Test
    void aStartThatIsOvertakenJoins() {
        engine.overtaking = () -> agent(tracked(100).interval(4_096));
        sampler.start(tracked(100).interval(4_096).build());
        assertThat(sampler.status().holders()).containsExactly("agent", "application");
    }

    @Test
    void aStartThatIsOvertakenByAnotherStrategyIsRefusedWithIt() {
        engine.overtaking = () -> agent(tracked(100).strategy(SamplingStrategy.allocations(700)));
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(tracked(100).interval(4_096).build()))
                .withMessageContainingAll(
                        "running with other options", "one in 700 allocations", "interval=4096");
    }

    @Test
    void aRecordingThatIsOvertakenByAnotherStrategyHasNoIntervalEither() {
        engine.overtaking = () -> agent(tracked(100).strategy(SamplingStrategy.allocations(700)));
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.record(RecordingOptions.builder().interval(5).build()))
                .withMessageContaining("one in 700 allocations");
    }

    @Test
    void whoseTermsWereReplacedAgreesOnThemAgain() {
        engine.overtaking = () -> {};
        sampler.start(tracked(100).build());
        assertThat(engine.takeCalls())
                .containsExactly(
                        "configure 100", "configure 100", "hold application 524288", "prime");
    }

    @Test
    void aStartThatIsAlwaysOvertakenIsRefused() {
        engine.failure = new OvertakenException("always");
        assertThatExceptionOfType(OvertakenException.class)
                .isThrownBy(() -> sampler.start(tracked(100).build()))
                .withMessage("always");
        assertThat(sampler.status().state()).isEqualTo(SamplerState.NEW);
    }

    @Test
    void whatAnotherHasClosedMeanwhileIsClosed() {
        sampler.start(tracked(100).build());
        sampler.stop();
        engine.takeCalls();
        engine.closing = () -> other.reset();
        sampler.reset();
        assertThat(engine.takeCalls()).containsExactly("close 1");
        assertThat(sampler.snapshot(SnapshotOptions.defaults()).sites()).isEmpty();
    }
}
