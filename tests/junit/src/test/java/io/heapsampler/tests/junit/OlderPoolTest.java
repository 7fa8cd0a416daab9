// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.ThrowingRunnable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.AssertionFailedError;

/**
 * Leaks in pools whose threads are older than the recording, which cannot see their first
 * allocations: the JVM's counts of each class tell.
 */
@Tag("once")
class OlderPoolTest {

    private static final int TIMES = Tier.of(1, 20);
    private static final int ITERATIONS = 20;

    private final ThreadLocal<List<Object>> ofThread = ThreadLocal.withInitial(ArrayList::new);
    private int runs;

    /** Threads of a pool: one that has all tasks, and more, which have them in turn. */
    static IntStream sizes() {
        return Tier.LONG ? IntStream.of(1, 2, 8) : IntStream.of(1, 8);
    }

    @BeforeEach
    void assumeCollections() {
        Collections.assumeCollections();
    }

    @AfterEach
    void forget() {
        Sink.forget();
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void leakIsFound(int threads) throws Exception {
        isLeak(threads, () -> ofThread.get().add(new byte[4_000]));
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void leakOfEverySecondRunIsFound(int threads) throws Exception {
        isLeak(
                threads,
                () -> {
                    if (runs++ % 2 == 0) {
                        ofThread.get().add(new byte[4_000]);
                    }
                });
    }

    private static void isLeak(int threads, Runnable task) throws Exception {
        for (int i = 0; i < TIMES; i++) {
            ExecutorService pool = pool(threads);
            try {
                ThrowingRunnable leak = () -> pool.submit(task).get();
                assertThatThrownBy(() -> check(leak))
                        .as("time " + i)
                        .isInstanceOf(AssertionFailedError.class)
                        .hasMessageStartingWith("The code leaks: ")
                        .hasMessageContaining("byte[]: +");
            } finally {
                pool.shutdown();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void whatKeepsNothingPasses(int threads) throws Exception {
        List<String> alarms = new ArrayList<>();
        for (int i = 0; i < TIMES; i++) {
            ExecutorService pool = pool(threads);
            try {
                check(() -> pool.submit(() -> Sink.last = new byte[4_000]).get());
            } catch (AssertionFailedError e) {
                alarms.add(e.getMessage());
            } finally {
                pool.shutdown();
            }
        }

        assertThat(alarms).isEmpty();
    }

    private static void check(ThrowingRunnable code) {
        assertAllocations(code).threads(ThreadScope.ALL).iterations(ITERATIONS).leaksAtMost("0 B");
    }

    private static ExecutorService pool(int threads) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        for (int i = 0; i < threads; i++) {
            pool.submit(() -> Sink.last = new byte[100]).get();
        }
        return pool;
    }
}
