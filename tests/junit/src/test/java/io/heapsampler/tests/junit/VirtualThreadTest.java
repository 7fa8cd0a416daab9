// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.assertions.ThreadScope;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.opentest4j.AssertionFailedError;

/** The JVM does not count the bytes of a virtual thread, so every allocation is recorded there. */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadTest {

    /** Compiled for 17, which has none. */
    private static Thread start(Runnable task) {
        try {
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static void inAVirtualThread(Runnable task) throws Exception {
        FutureTask<Void> future = new FutureTask<>(task, null);
        start(future);
        future.get();
    }

    @Test
    void codeInAVirtualThreadIsMeasured() throws Exception {
        inAVirtualThread(
                () -> {
                    assertAllocations(() -> Sink.kilobytes(100)).allocatesAtMost("100 KB");
                    assertThatThrownBy(
                                    () ->
                                            assertAllocations(() -> Sink.kilobytes(100))
                                                    .allocatesAtMost("99 KB"))
                            .isInstanceOf(AssertionFailedError.class)
                            // Rounded if another carrier has done something meanwhile.
                            .hasMessageFindingMatch(
                                    "allocated (101,600 bytes|99\\.2 KiB).*limit 99 KB")
                            .hasMessageContaining("every allocation recorded");
                    assertAllocations(() -> {}).allocatesNothing();
                });
    }

    /** A thread may have been on another carrier and come back: so what that one did may be its. */
    @Test
    void whatAnotherCarrierAllocatesMayBeTheThreads() throws Exception {
        Collections.assumeCollections();
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "there is one carrier");
        inAVirtualThread(
                () -> {
                    AllocationAssert code = assertAllocations(VirtualThreadTest::onAnotherCarrier);
                    code.allocatesAtMost("1 MB").leavesBehindAtMost("1 MB");
                    code.iterations(5).leaksAtMost("0 B"); // by the JVM's counts of each class
                    List<ThrowingCallable> assertions =
                            List.of(
                                    () -> code.allocatesAtMost("90 KB"),
                                    () -> code.leavesBehindAtMost("1 KB"));
                    for (ThrowingCallable assertion : assertions) {
                        assertThatThrownBy(assertion)
                                .isInstanceOf(AssertionFailedError.class)
                                .hasMessageContaining("was not measured")
                                .hasMessageContaining("may have been on other carriers for a while")
                                .hasMessageContaining(
                                        "Run it in a platform thread, or while no other");
                    }
                });
    }

    /** Does not block, so it stays on its own. */
    private static void onAnotherCarrier() {
        AtomicBoolean isOver = new AtomicBoolean();
        start(
                () -> {
                    Sink.kilobytes(100);
                    isOver.set(true);
                });
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!isOver.get() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(isOver).isTrue();
    }

    @Test
    void virtualThreadsThatAreStartedAreMeasured() {
        assertThatThrownBy(
                        () ->
                                assertAllocations(() -> start(() -> Sink.kilobytes(100)).join())
                                        .threads(ThreadScope.INHERITED)
                                        .allocatesAtMost("90 KB"))
                .isInstanceOf(AssertionFailedError.class)
                .message()
                .containsAnyOf("The code allocated ", "was not measured. Its figure is too")
                .contains("90 KB (92,160 bytes)")
                .contains("with virtual threads")
                .contains("in the test's thread and those it starts");
        assertAllocations(() -> start(() -> Sink.kilobytes(100)).join())
                .threads(ThreadScope.INHERITED)
                .allocatesAtMost("8 MB");
    }

    @Test
    void probeSaysWhatToDo() throws Exception {
        inAVirtualThread(
                () ->
                        assertThatIllegalStateException()
                                .isThrownBy(AllocationProbe::ofThread)
                                .withMessage(
                                        "The JVM does not count the bytes that the thread \""
                                                + Thread.currentThread().getName()
                                                + "\" allocates. Use a platform thread of a"
                                                + " HotSpot JVM, or a HeapRecording, which also"
                                                + " sees virtual threads."));
        assertThat(AllocationProbe.ofThread().bytes()).isZero();
    }
}
