// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.ThreadScope;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What older threads allocate widens a figure about all threads, without a sampler. */
class UnseenThreadsTest {

    private static final Measured NOTHING = Measured.exact(0, "recorded", null);

    private static volatile byte[] sink = {};

    private static Scope in(ThreadScope threads) {
        return new Scope(threads, List.of(), List.of(), List.of(), List.of());
    }

    private static void allocate() {
        sink = new byte[100_000];
    }

    @Test
    void bytesThatTheJvmCountedMayBeUnseen() throws Exception {
        ExecutorService older = Executors.newSingleThreadExecutor();
        older.submit(() -> {}).get();
        UnseenThreads all = UnseenThreads.older(in(ThreadScope.ALL));
        UnseenThreads none = UnseenThreads.older(in(ThreadScope.TEST));

        older.submit(UnseenThreadsTest::allocate).get();

        assertThat(all.widen(NOTHING).high()).isGreaterThanOrEqualTo(100_000);
        assertThat(all.bytes()).isGreaterThanOrEqualTo(100_000);
        assertThat(all.widen(NOTHING).low()).isZero();
        assertThat(none.widen(NOTHING)).isEqualTo(NOTHING);

        older.shutdown();
        assertThat(older.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(sink).isNotEmpty();
    }

    @Test
    void nothingIsKnownOfAThreadThatHasEnded() throws InterruptedException {
        Object gate = new Object();
        Thread thread =
                new Thread(
                        () -> {
                            synchronized (gate) {
                                allocate();
                            }
                        });
        UnseenThreads all;
        synchronized (gate) {
            thread.start();
            all = UnseenThreads.older(in(ThreadScope.ALL));
        }
        thread.join();
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (all.bytes() < Double.POSITIVE_INFINITY && System.nanoTime() < deadline) {
            Thread.onSpinWait(); // the JVM lists it a little longer
        }

        assertThat(all.widen(NOTHING).isUndecided(1L << 60)).isTrue();
    }
}
