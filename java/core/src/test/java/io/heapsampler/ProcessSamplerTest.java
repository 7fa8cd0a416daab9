// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import io.heapsampler.internal.FacadeAccess;
import io.heapsampler.internal.OvertakenException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessSamplerTest {

    private final FakeEngine engine = new FakeEngine();
    private final ProcessSampler sampler = new ProcessSampler(engine);

    private static SamplerOptions.Builder tracked(int count) {
        return SamplerOptions.builder().maxTracked(count);
    }

    @Test
    void startConfiguresOpensAndPrimesOnce() {
        sampler.start(tracked(100).build());
        sampler.start(null);
        sampler.start(tracked(100).build());

        assertThat(engine.takeCalls())
                .containsExactly("configure 100", "hold application 524288", "prime");
        assertThat(sampler.status().state()).isEqualTo(SamplerState.RUNNING);
    }

    @Test
    void startWithOtherOptionsWhileRunningIsRefused() {
        sampler.start(tracked(100).interval(1000).build());

        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(tracked(100).interval(500).build()))
                .withMessageContainingAll(
                        "running with other options",
                        "interval=1000",
                        "interval=500",
                        "setInterval()");
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(tracked(50).build()))
                .withMessageContaining("HeapSampler.reset()");
        assertThat(sampler.status().state()).isEqualTo(SamplerState.RUNNING);
    }

    @Test
    void aBudgetIsAHoldsAndTheLastOneOfTheApplicationIsUsedAgain() {
        sampler.start(tracked(100).maxOverhead(0.02).build());
        sampler.stop();
        sampler.start(null);
        SamplerHold doctor = sampler.share("doctor", tracked(100).maxOverhead(0.005).build());

        assertThat(engine.takeCalls())
                .contains("hold application 524288 within 20000", "hold doctor any within 5000");
        assertThat(sampler.status().maxOverhead()).isEqualTo(0.005);
        sampler.start(tracked(100).maxOverhead(0.01).build());
        assertThat(engine.takeCalls()).as("less is in force").isEmpty();
        sampler.release(doctor);
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(tracked(100).maxOverhead(0.01).build()))
                .withMessageContaining("maxOverhead=0.02")
                .withMessageContaining("maxOverhead=0.01")
                .withMessageContaining("For another maxOverhead call HeapSampler.stop() first.");
    }

    /** The priming allocates, so the heap may be full there. */
    @Test
    void aStartThatFailsAfterItsHoldGivesItBack() {
        sampler.setInterval(1000);
        engine.priming =
                () -> {
                    throw new OutOfMemoryError("full");
                };
        SamplerOptions options = tracked(100).interval(77).build();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> sampler.share("doctor", options));
        assertThat(sampler.status().holders()).isEmpty();
        assertThat(sampler.status().interval()).isEqualTo(1000);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> sampler.start(options));
        assertThat(sampler.status().holders()).isEmpty();
        assertThat(sampler.status().state()).isEqualTo(SamplerState.STOPPED);
        assertThat(engine.takeCalls())
                .containsExactly(
                        "configure 100",
                        "hold doctor 77",
                        "release doctor",
                        "configure 100",
                        "hold application 77",
                        "release application");
        engine.priming = () -> {};
        sampler.start(null);
        assertThat(sampler.status().holders()).containsExactly("application");
    }

    @Test
    void aLookThatFailsAfterTheHoldGivesItBack() {
        engine.looking =
                () -> {
                    if (!engine.takeCalls().isEmpty()) {
                        throw new StackOverflowError();
                    }
                };
        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(() -> sampler.share("doctor", null));
        engine.looking = () -> {};
        assertThat(sampler.status().holders()).isEmpty();
    }

    @Test
    void aHoldThatTheEngineHasNoLongerIsClosed() {
        SamplerHold hold = sampler.share("doctor", null);
        engine.failing = "release";
        engine.failure = new OvertakenException("closed");
        hold.close();
        assertThat(hold.isOpen()).isFalse();
        hold.close();
    }

    /** Otherwise the sampling could never be ended. */
    @Test
    void aHoldWhoseReleaseFailsStaysOpenAndCanBeClosedAgain() {
        SamplerHold hold = sampler.share("tool", null);
        engine.releasing =
                () -> {
                    throw new StackOverflowError();
                };
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(hold::close);
        assertThat(hold.isOpen()).isTrue();
        engine.releasing = () -> {};
        hold.close();
        assertThat(hold.isOpen()).isFalse();
        assertThat(sampler.status().holders()).isEmpty();
    }

    /** As after an error between the call of the engine and the mark in the recording. */
    @Test
    void aRecordingThatTheEngineHasNoLongerIsClosed() {
        HeapRecording recording = sampler.record(RecordingOptions.builder().build());
        engine.failing = "close";
        engine.failure = new OvertakenException("closed");
        recording.close();
        assertThat(recording.isOpen()).isFalse();
        recording.close();
    }

    @Test
    void whatWasNeverStartedIsHarmless() {
        sampler.stop();
        sampler.reset();

        HeapSnapshot snapshot = sampler.snapshot(SnapshotOptions.afterGc());

        assertThat(engine.takeCalls()).isEmpty();
        assertThat(snapshot.sites()).isEmpty();
        assertThat(snapshot.samples()).isEmpty();
        assertThat(snapshot.totals().allocated().bytes().value()).isZero();
        assertThat(snapshot.startedAt()).isEqualTo(snapshot.takenAt());
        assertThat(snapshot.interval()).isEqualTo(524_288);
        assertThat(sampler.status().state()).isEqualTo(SamplerState.NEW);
    }

    @Test
    void stopKeepsTheDataAndResetReleasesThem() {
        sampler.start(tracked(100).build());
        sampler.reset();
        sampler.stop();
        sampler.stop();
        sampler.snapshot(SnapshotOptions.afterGc());
        assertThat(engine.takeCalls())
                .containsExactly(
                        "configure 100",
                        "hold application 524288",
                        "prime",
                        "reset 1",
                        "release application",
                        "snapshot 1 gc");
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(tracked(50).build()))
                .withMessageContaining("Call HeapSampler.reset() first");

        sampler.reset();
        assertThat(sampler.status().state()).isEqualTo(SamplerState.STOPPED);
        assertThat(sampler.snapshot(SnapshotOptions.defaults()).sites()).isEmpty();
        sampler.start(tracked(50).build());
        assertThat(engine.takeCalls())
                .containsExactly("close 1", "configure 50", "hold application 524288", "prime");
    }

    @Test
    void recordingsShareTheLimitsInForce() {
        HeapRecording recording = sampler.record(RecordingOptions.builder().interval(0).build());
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(tracked(50).build()))
                .withMessageContaining("Close the open recordings first (1).");
        sampler.start(null);
        sampler.stop();
        sampler.reset();
        recording.close();
        sampler.start(tracked(50).build());

        assertThat(engine.takeCalls())
                .containsSubsequence(
                        "open 0",
                        "prime",
                        "hold application 524288",
                        "close 2",
                        "close 1",
                        "configure 50");
    }

    @Test
    void anOptionThatIsNotSetIsNoOtherOption() {
        SamplerOptions.Builder options = tracked(100).maxSites(77).maxDepth(64);
        sampler.start(
                options.reportOnOom(Path.of("/tmp/heapsampler-unit-oom.txt"))
                        .interval(4_096)
                        .build());
        engine.takeCalls();

        sampler.start(SamplerOptions.builder().build());
        sampler.start(SamplerOptions.builder().interval(4_096).build());
        sampler.start(SamplerOptions.builder().maxSites(77).build());
        assertThat(engine.takeCalls()).isEmpty();
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.start(SamplerOptions.builder().maxDepth(128).build()))
                .withMessageContainingAll(
                        "maxDepth=64", "reportOnOom=/tmp/heapsampler-unit-oom.txt");

        sampler.stop();
        sampler.start(SamplerOptions.builder().interval(8_192).build());
        assertThat(engine.takeCalls())
                .containsExactly("release application", "hold application 8192", "prime");
    }

    @Test
    void aRecordingIsPrimedOnlyForItsThreads() {
        sampler.record(RecordingOptions.builder().thread(new Thread()).build());

        assertThat(engine.takeCalls()).doesNotContain("prime");
    }

    @Test
    void aClosedRecordingIsRefusedClearly() {
        HeapRecording recording = sampler.record(RecordingOptions.builder().build());
        recording.setInterval(5);
        recording.stop();
        recording.snapshot(SnapshotOptions.afterGc());
        recording.close();
        recording.close();

        assertThat(engine.takeCalls())
                .containsSubsequence("interval 1 5", "pause 1", "snapshot 1 gc", "close 1")
                .containsOnlyOnce("close 1");
        assertThat(recording.isOpen()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(recording::snapshot)
                .withMessage(
                        "This recording is closed. Take snapshots before close(), or open another"
                                + " with HeapSampler.record().");
        assertThatIllegalStateException().isThrownBy(recording::stop);
        assertThatIllegalStateException().isThrownBy(() -> recording.setInterval(1));
    }

    @Test
    void theStatusOfARecordingIsItsOwn() {
        sampler.start(tracked(100).build());
        HeapRecording recording =
                sampler.record(RecordingOptions.builder().interval(4_096).build());
        SamplerStatus status = FacadeAccess.of(recording).status(recording);
        assertThat(status.state()).isEqualTo(SamplerState.RUNNING);
        assertThat(status.interval()).isEqualTo(4_096);
        assertThat(status.holders()).as("a recording has no holders").isEmpty();

        recording.setInterval(8_192);
        recording.stop();
        status = FacadeAccess.of(recording).status(recording);
        assertThat(status.state()).isEqualTo(SamplerState.STOPPED);
        assertThat(status.interval()).isEqualTo(8_192);
        assertThat(sampler.status().state()).isEqualTo(SamplerState.RUNNING);
        assertThat(sampler.status().interval()).isEqualTo(524_288);
    }

    @Test
    void aRecordingWhoseTimeIsUpHasStopped() {
        HeapRecording recording =
                sampler.record(RecordingOptions.builder().duration(Duration.ofNanos(1)).build());
        assertThat(FacadeAccess.of(recording).status(recording).state())
                .isEqualTo(SamplerState.STOPPED);
        assertThat(recording.isOpen()).isTrue();
    }

    @Test
    void aRefusalLeavesTheStateAsItWas() {
        engine.failure = new HeapSamplingUnavailableException(Reason.OWNED_BY_OTHER, "owned", null);
        assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(() -> sampler.start(tracked(100).interval(9).build()));
        assertThat(sampler.status().state()).isEqualTo(SamplerState.NEW);
        assertThat(sampler.status().interval()).isEqualTo(524_288);

        engine.failure = null;
        sampler.start(tracked(50).build());
        assertThat(engine.takeCalls())
                .containsExactly("configure 50", "hold application 524288", "prime");
    }

    @Test
    void endingIsHarmlessWhileTheJvmShutsDown() {
        sampler.start(tracked(100).build());
        sampler.stop();
        HeapRecording recording = sampler.record(RecordingOptions.builder().build());
        engine.failure = new HeapSamplingUnavailableException(Reason.SHUTTING_DOWN, "down", null);
        recording.close();
        sampler.reset();
        assertThat(recording.isOpen()).isFalse();

        engine.failure = null;
        SamplerHold hold = sampler.share("doctor", null);
        engine.failure = new HeapSamplingUnavailableException(Reason.SHUTTING_DOWN, "down", null);
        hold.close();
        assertThat(hold.isOpen()).isFalse();
    }

    @Test
    void aHoldThatStopsKeepsTheSamplesAndLeavesOtherHolders() {
        SamplerHold hold = sampler.share("tool", null);
        SamplerHold other = sampler.share("doctor", null);
        engine.takeCalls();
        hold.stop();
        hold.stop();
        assertThat(hold.isOpen()).isFalse();
        assertThat(sampler.status().holders()).containsExactly("doctor");
        other.close();
        assertThat(sampler.status().holders()).isEmpty();
        assertThat(engine.inForce().recordings()).as("samples are kept").isOne();
    }

    /** The second close must not take away the hold of another library with the same name. */
    @Test
    void aHoldThatIsClosedTwiceIsReleasedOnce() {
        SamplerHold first = sampler.share("library", null);
        SamplerHold second = sampler.share("library", null);
        engine.takeCalls();
        first.close();
        first.close();
        first.stop();
        assertThat(engine.takeCalls()).containsExactly("release library");
        assertThat(sampler.status().holders()).containsExactly("library");
        assertThat(second.isOpen()).isTrue();
        second.close();
        second.close();
        assertThat(engine.takeCalls()).containsExactly("release library");
        assertThat(sampler.status().state()).isEqualTo(SamplerState.STOPPED);
    }

    /** The budget of a start that failed is none that the application has used. */
    @Test
    void aFailedStartPublishesNothing() {
        engine.priming =
                () -> {
                    throw new StackOverflowError();
                };
        SamplerOptions options = tracked(100).maxOverhead(0.5).build();
        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(() -> sampler.start(options));
        engine.priming = () -> {};
        engine.takeCalls();
        sampler.start(null);
        assertThat(engine.takeCalls()).containsExactly("hold application 524288", "prime");
    }

    /** As while a forced collection goes on: the snapshot ends only when the status is there. */
    @Test
    void theStatusDoesNotWaitForASnapshot() throws Exception {
        sampler.start(tracked(100).build());
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        engine.snapping =
                () -> {
                    isInside.countDown();
                    awaitQuietly(mayEnd);
                };
        Thread snapshot = new Thread(() -> sampler.snapshot(SnapshotOptions.afterGc()));
        snapshot.start();
        assertThat(isInside.await(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<SamplerStatus> status = CompletableFuture.supplyAsync(sampler::status);
        try {
            assertThat(status.get(60, TimeUnit.SECONDS).state()).isEqualTo(SamplerState.RUNNING);
            assertThat(snapshot.isAlive()).isTrue();
        } finally {
            mayEnd.countDown();
            snapshot.join();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aBuilderStaysAsItWasWhenOptionsAreBuilt() {
        SamplerOptions.Builder builder =
                tracked(100).strategy(SamplingStrategy.allocations(10_000));
        assertThat(builder.build().interval()).isZero();
        SamplerOptions capped =
                builder.strategy(SamplingStrategy.atMostOnePer(Duration.ofMillis(10))).build();
        assertThat(capped.interval()).isEqualTo(524_288);
        assertThat(capped)
                .isEqualTo(
                        tracked(100)
                                .strategy(SamplingStrategy.atMostOnePer(Duration.ofMillis(10)))
                                .build());
    }
}
