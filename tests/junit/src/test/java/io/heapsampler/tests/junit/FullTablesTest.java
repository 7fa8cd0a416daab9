// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.DropCause;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.ThrowingRunnable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/**
 * The application's own sampler runs and has filled its tables, or other tests have: an assertion
 * says what it could not measure, and neither passes nor fails for it.
 */
class FullTablesTest {

    private static final String SINK = "io.heapsampler.tests.junit.Sink";

    private static final String CUT = "stacks are cut or missing";

    /** Lets the application fill a table, with every allocation of all its threads. */
    private static void fill(SamplerOptions.Builder options, DropCause cause) {
        HeapSampler.start(options.interval(0).build());
        deep(100);
        Map<DropCause, Long> dropped = HeapSampler.snapshot().dropped();
        assertThat(dropped.get(cause) + dropped.get(DropCause.STACKS_FULL))
                .as("%s, or shortened when a new table followed", cause)
                .isPositive();
    }

    /** Allocates 100 KB at a hundred sites. */
    private static void deep(int more) {
        Sink.kilobytes(1);
        if (more > 1) {
            deep(more - 1);
        }
    }

    /** Bounds and interval stay those of the last start: other tests want the usual ones. */
    @AfterEach
    void stop() {
        HeapSampler.stop();
        HeapSampler.reset();
        HeapSampler.start(SamplerOptions.builder().interval(512 * 1024).build());
        HeapSampler.stop();
        HeapSampler.reset();
        Sink.forget();
    }

    private static void assertUnmeasured(String reason, ThrowingCallable assertion) {
        assertThatThrownBy(assertion)
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining(" was not measured. ")
                .hasMessageContaining(reason);
    }

    @Test
    @Tag("once")
    void sites() {
        fill(SamplerOptions.builder().maxSites(16), DropCause.SITES_FULL);
        assertTold();
    }

    @Test
    @Tag("once")
    void stacks() {
        fill(SamplerOptions.builder().maxStacks(16), DropCause.STACKS_FULL);
        assertTold();
    }

    @Test
    @Tag("once")
    void names() {
        fill(SamplerOptions.builder().maxNames(16), DropCause.NAMES_FULL);
        assertTold();
    }

    /**
     * Where tables were exchanged in time, the stacks are known, and the failure is a judged one.
     */
    private static void assertNoPass(String reason, ThrowingCallable assertion) {
        assertThatThrownBy(assertion)
                .isInstanceOf(AssertionFailedError.class)
                .message()
                .satisfiesAnyOf(
                        text -> assertThat(text).contains(" was not measured. ", reason),
                        text -> assertThat(text).doesNotContain(" was not measured. "));
    }

    /** Samples that could be the harness's are neither counted for sure nor left out. */
    private static void assertTold() {
        AllocationAssert code = assertAllocations(() -> Sink.kilobytes(10)).warmup(0).minOf(1);
        code.allocatesAtMost("10 KB"); // the JVM's own count
        AllocationAssert arrays = code.ofType(byte[].class);
        arrays.allocatesAtMost("12 KB"); // all there is
        assertNoPass(CUT, () -> arrays.allocatesAtMost("1 KB"));
        assertNoPass(CUT, () -> arrays.at(SINK).allocatesAtMost("1 KB"));
        if (!Collections.isEpsilon()) {
            AllocationAssert leak =
                    assertAllocations(() -> Sink.LEAK.add(new byte[2_000])).warmup(0).minOf(1);
            assertNoPass(CUT, () -> leak.leavesBehindAtMost("1 KB"));
            assertNoPass(CUT, () -> leak.iterations(5).leaksAtMost("1 KB"));
            assertNoPass(CUT, () -> leak.excluding(SINK).iterations(5).leaksAtMost("1 KB"));
        }
    }

    /** The table of tracked objects is shared: what others keep alive takes the room. */
    @Test
    void otherTestsTakeTheRoomOfWhatIsTracked() {
        Collections.assumeCollections();
        HeapSampler.start(SamplerOptions.builder().maxTracked(64).build());
        List<byte[]> others = new ArrayList<>();
        RecordingOptions ofOthers =
                RecordingOptions.builder().interval(0).className("byte[]").build();
        try (HeapRecording recording = HeapSampler.record(ofOthers)) {
            for (int i = 0; i < 10_000; i++) {
                others.add(new byte[100]);
            }
            assertThat(HeapSampler.status().thinning()).isPositive();

            ThrowingRunnable kept = () -> Sink.LEAK.add(new byte[5_000]);
            AllocationAssert once = assertAllocations(kept).warmup(0).minOf(1);
            assertUnmeasured("beside fewer other tests", () -> once.leavesBehindAtMost("1 KB"));
            assertNoPass("beside fewer other tests", () -> once.iterations(5).leaksAtMost("1 KB"));
            assertAllocations(() -> Sink.kilobytes(10))
                    .ofType(byte[].class)
                    .allocatesAtMost("10 KB");
            assertThat(recording.isOpen()).isTrue();
        }
        assertThat(others).hasSize(10_000);
    }

    /** By allocations or by time the intervals are not this assertion's to choose. */
    @Test
    @Tag("once")
    void strategyOfTheApplicationLeavesNoVerdict() {
        for (SamplingStrategy strategy :
                List.of(
                        SamplingStrategy.allocations(10_000),
                        SamplingStrategy.atMostOnePer(Duration.ofHours(1)))) {
            HeapSampler.start(SamplerOptions.builder().strategy(strategy).build());
            ThrowingRunnable code = () -> Sink.kilobytes(10);

            assertUnmeasured(
                    "strategy",
                    () -> assertAllocations(code).ofType(byte[].class).allocatesNothing());
            assertUnmeasured("strategy", () -> assertAllocations(code).leavesBehindAtMost("1 KB"));
            assertUnmeasured(
                    "strategy", () -> assertAllocations(code).iterations(5).leaksAtMost("1 KB"));
            assertAllocations(code).allocatesAtMost("10 KB");
            HeapSampler.stop();
            HeapSampler.reset();
        }
    }

    /** Neither takes anything away from an assertion. */
    @Test
    @Tag("once")
    void applicationMayStopAndResetItsSamplerMeanwhile() {
        HeapSampler.start();
        ThrowingRunnable code =
                () -> {
                    Sink.kilobytes(5);
                    HeapSampler.setInterval(1 << 20);
                    HeapSampler.stop();
                    HeapSampler.reset();
                    HeapSampler.start();
                    Sink.kilobytes(5);
                };

        assertThatThrownBy(
                        () ->
                                assertAllocations(code)
                                        .at(SINK)
                                        .ofType(byte[].class)
                                        .allocatesAtMost("9 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("allocated 10,160 bytes, limit 9 KB");
        assertAllocations(code).at(SINK).ofType(byte[].class).allocatesAtMost("10 KB");
    }
}
