// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.internal.OvertakenException;
import io.heapsampler.internal.shared.ClosedRecordingException;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Ends of holds and recordings: the heap may be full, and the engine may have lost them. */
class EndingTest {

    private final FakeEngine engine = new FakeEngine();
    private final ProcessSampler sampler = new ProcessSampler(engine);

    private HeapRecording recording() {
        return sampler.record(RecordingOptions.builder().interval(0).build());
    }

    /** What a step allocates before it calls the engine. The JVM counts exactly. */
    private long allocatedBefore(Runnable end) {
        engine.allocatedBeforeEnd = -1;
        FakeEngine.allocated();
        long before = FakeEngine.allocated();
        end.run();
        assertThat(engine.allocatedBeforeEnd).as("the engine was called").isPositive();
        return engine.allocatedBeforeEnd - before;
    }

    @Test
    void closingARecordingAllocatesNothingBeforeTheEngineIsCalled() {
        HeapRecording recording = recording();
        assertThat(allocatedBefore(recording::close)).isZero();
        assertThat(recording.isOpen()).isFalse();
    }

    @Test
    void stoppingARecordingAllocatesNothingBeforeTheEngineIsCalled() {
        HeapRecording recording = recording();
        assertThat(allocatedBefore(recording::stop)).isZero();
        assertThat(recording.isSampling()).isFalse();
    }

    @Test
    void endingAHoldAllocatesNothingBeforeTheEngineIsCalled() {
        SamplerHold closed = sampler.share("closed", null);
        SamplerHold stopped = sampler.share("stopped", null);
        sampler.start(null);
        assertThat(allocatedBefore(closed::close)).isZero();
        assertThat(allocatedBefore(stopped::stop)).isZero();
        assertThat(allocatedBefore(sampler::stop)).isZero();
        assertThat(sampler.status().holders()).isEmpty();
    }

    /** Without a report nothing is allocated after the call either. */
    @Test
    void aHoldWithoutAReportEndsWithoutAllocating() {
        SamplerHold hold = sampler.share("tool", null);
        sampler.share("other", null);
        engine.looking =
                () -> {
                    throw new StackOverflowError();
                };
        hold.close();
        engine.looking = () -> {};
        assertThat(hold.isOpen()).isFalse();
        assertThat(sampler.status().holders()).containsExactly("other");
    }

    @Test
    void aHoldIsClosedThoughTheHeapIsTooFullToEndItsReport() {
        Path file = Path.of("/tmp/heapsampler-unit-oom.txt");
        SamplerHold hold =
                sampler.share("tool", SamplerOptions.builder().reportOnOom(file).build());
        engine.reading =
                () -> {
                    throw new OutOfMemoryError("full");
                };
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(hold::close);
        engine.reading = () -> {};
        assertThat(hold.isOpen()).isFalse();
        engine.takeCalls();
        hold.close();
        assertThat(engine.takeCalls()).as("a second close does nothing").isEmpty();
        assertThat(sampler.status().holders()).isEmpty();
    }

    /** As after an error between the call of the engine and the mark in the recording. */
    @Test
    void everyCallSaysThatARecordingWhichTheEngineHasLostIsClosed() {
        engine.failure = new OvertakenException("gone");
        assertSaysClosed("snapshot", HeapRecording::snapshot);
        assertSaysClosed("interval", recording -> recording.setInterval(5));
        assertSaysClosed("pause", HeapRecording::stop);
    }

    private void assertSaysClosed(String call, java.util.function.Consumer<HeapRecording> action) {
        engine.failing = "nothing";
        HeapRecording recording = recording();
        engine.failing = call;
        ThrowingCallable lost = () -> action.accept(recording);
        assertThatThrownBy(lost)
                .isInstanceOf(ClosedRecordingException.class)
                .hasMessageStartingWith("This recording is closed.");
        assertThat(recording.isOpen()).as(call).isFalse();
    }
}
