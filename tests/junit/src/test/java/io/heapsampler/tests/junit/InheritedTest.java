// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.junit.MaxAllocation;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** Narrowed limits of a thread and those it starts: what the harness allocates is not theirs. */
class InheritedTest {

    /** Of the one test that runs, in all its runs. */
    private static int runs;

    /** Samples of whole threads do not tell the code from what other assertions do in that run. */
    static class Narrowed {

        @Test
        @MaxAllocation(value = "1 MB", warmup = 0, minOf = 1)
        @MaxAllocation(
                value = "0 B",
                types = byte[].class,
                threads = ThreadScope.INHERITED,
                warmup = 0,
                minOf = 1)
        void none() {
            runs++;
        }
    }

    @Test
    void ofNothingNothingCountsBesideOthers() {
        runs = 0;

        Kit.assertPasses(Narrowed.class, 1);

        assertThat(runs).isOne();
    }

    private static AllocationAssert exactly(int kilobytes) {
        return assertAllocations(() -> Sink.kilobytes(kilobytes))
                .threads(ThreadScope.INHERITED)
                .ofType(byte[].class)
                .interval("0 B");
    }

    @Test
    void whatTheThreadItselfAllocatesIsCountedToTheByte() {
        exactly(100).allocatesAtMost("101600 B");

        assertThatThrownBy(() -> exactly(100).allocatesAtMost("101599 B"))
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("allocated 101,600 bytes, limit 101,599 bytes");
    }

    /** Loads a class that its loader has not loaded, which wastes memory. */
    private static AllocationAssert load(ThrowingRunnable beside) {
        Runnable guest = Guests.inLoader(Guests.Calling.class);
        ThrowingRunnable code =
                () -> {
                    beside.run();
                    guest.run();
                };
        return assertAllocations(code).threads(ThreadScope.INHERITED);
    }

    @Test
    void classesThatLoadAreSetAside() {
        load(() -> {}).allocatesAtMost("1 KB");

        ThrowingRunnable inThread =
                () -> Sink.join(() -> Guests.inLoader(Guests.Calling.class).run());
        assertThatThrownBy(
                        () ->
                                assertAllocations(inThread)
                                        .threads(ThreadScope.INHERITED)
                                        .allocatesAtMost("100 KB"))
                .as("a loader that is made by the thread")
                .isInstanceOf(AssertionFailedError.class);
    }

    /**
     * The memory set aside could be that of another thread's classes. That thread is older, so its
     * first sample comes after 512 KB on average: at 20 MB it is missing once in e^40 times.
     */
    @Test
    void otherThreadsThatAllocateMeanwhileMakeThatUncertain() throws Exception {
        ExecutorService older = Executors.newSingleThreadExecutor();
        try {
            older.submit(() -> {}).get();
            ThrowingRunnable besideOthers = () -> older.submit(() -> Sink.kilobytes(20_000)).get();

            assertThatThrownBy(() -> load(besideOthers).allocatesAtMost("4 KB"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("too uncertain")
                    .hasMessageContaining(
                            "; other threads allocated meanwhile, and the bytes set aside may"
                                    + " include some of theirs")
                    .hasMessageContaining(" Run nothing else beside it.");
        } finally {
            older.shutdown();
        }
    }
}
