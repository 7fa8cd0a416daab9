// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.assertions.ThrowingRunnable;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** Leaks that the time, other threads or soft references conceal: none of them passes. */
@Tag("once")
class ConcealedLeakTest {

    private static final int ITERATIONS = 20;

    private final List<Object> kept = new ArrayList<>(10_000);
    private int runs;

    @BeforeEach
    void assumeCollections() {
        Collections.assumeCollections();
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    /** One object in the proof, and no time to see whether there will be another. */
    @Test
    void growthThatNoTimeIsLeftToConfirmIsNotMeasured() {
        ThrowingRunnable code =
                () -> {
                    runs++;
                    if (runs == 10 || runs == 30) {
                        kept.add(new byte[100]);
                    } else if (runs > 34) {
                        compute(2_500); // uses up all patience
                    }
                };

        assertThatThrownBy(() -> assertAllocations(code).iterations(ITERATIONS).leaksAtMost("0 B"))
                .isInstanceOf(AssertionFailedError.class)
                .satisfies(e -> Golden.assertMessage("no-leaks-open.txt", e));
    }

    private static void compute(long millis) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long end = threads.getCurrentThreadCpuTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (threads.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }

    /** On a busy machine each run waits for a processor: 100 of them last 6 seconds. */
    @Test
    void runsThatWaitHaveTimeToShowThatGrowthHasStopped() {
        ThrowingRunnable code =
                () -> {
                    runs++;
                    if (runs == 10 || runs == 60) {
                        kept.add(new byte[100]);
                    }
                    LockSupport.parkNanos(60_000_000);
                };

        assertAllocations(code).iterations(ITERATIONS).leaksAtMost("0 B");
    }

    /** The class falls as much as the leak grows, but it falls without a run as well. */
    @Test
    void leakOfAClassThatAnotherThreadFreesIsNotMeasured() {
        Queue<long[]> old = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 200_000; i++) {
            old.add(new long[1]);
        }
        Thread drain =
                new Thread(
                        () -> {
                            while (old.poll() != null && !Thread.currentThread().isInterrupted()) {
                                LockSupport.parkNanos(1_000_000);
                            }
                        });
        drain.setDaemon(true);
        drain.start();
        try {
            ThrowingRunnable leak = () -> kept.add(new long[10]);
            assertThatThrownBy(
                            () -> assertAllocations(leak).iterations(ITERATIONS).leaksAtMost("0 B"))
                    .isInstanceOf(AssertionFailedError.class)
                    .satisfies(e -> Golden.assertMessage("no-leaks-concealed.txt", e));
        } finally {
            drain.interrupt();
        }
    }
}
