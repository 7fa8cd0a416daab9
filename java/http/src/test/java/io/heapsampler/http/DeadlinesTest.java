// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Until;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Slow clients are found whatever the others do meanwhile. */
class DeadlinesTest {

    private static final Duration LONG = Duration.ofHours(1);
    private static final int CLIENTS = 1000;
    private static final int ROUNDS = 500;

    private final Deadlines deadlines = new Deadlines();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicBoolean isOver = new AtomicBoolean();

    @AfterEach
    void end() throws InterruptedException {
        isOver.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        deadlines.close();
    }

    private void start(Runnable work) {
        Thread thread = new Thread(work);
        threads.add(thread);
        thread.start();
    }

    /** Without a stable key the sort fails in most runs. */
    @Test
    void progressDuringTheSearchDoesNoHarm() {
        List<Deadlines.Deadline> all = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            all.add(deadlines.begin(LONG, Duration.ofNanos(-i * 1000L)));
        }
        try {
            for (int from = 0; from < 2; from++) {
                int first = from;
                start(
                        () -> {
                            for (int i = first; !isOver.get(); i = (i + 7) % CLIENTS) {
                                all.get(i).progress();
                            }
                        });
            }
            for (int i = 0; i < ROUNDS; i++) {
                deadlines.makeRoom(1);
            }
        } finally {
            isOver.set(true);
            all.forEach(Deadlines.Deadline::end);
            Thread.interrupted();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(120, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void searchThatFailsIsRepeated() throws Exception {
        AtomicInteger searches = new AtomicInteger();
        Deadlines failing =
                new Deadlines() {
                    @Override
                    void makeRoom(int waiting) {
                        searches.incrementAndGet();
                        throw new IllegalStateException("broken on purpose");
                    }
                };
        HeapSamplerServer.Threads server = new HeapSamplerServer.Threads(failing, LONG);
        CountDownLatch gate = new CountDownLatch(1);
        try (Logged log = new Logged()) {
            for (int i = 0; i <= HeapSamplerServer.Threads.THREADS; i++) {
                server.execute(() -> await(gate));
            }
            assertThat(Until.within(60, () -> searches.get() > 3)).isTrue();
            assertThat(log.lines()).singleElement().asString().contains("broken on purpose");
        } finally {
            gate.countDown();
            server.shutdownNow();
            failing.close();
        }
    }

    /** The grace of a response that waits for its seconds begins when they are over. */
    @Test
    void anotherGraceBeginsAnew() throws Exception {
        Deadlines.Deadline deadline = deadlines.begin(LONG, Duration.ZERO);
        deadline.grace(LONG);
        deadlines.makeRoom(1);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        deadline.grace(Duration.ZERO);
        assertThat(
                        Until.within(
                                60,
                                () -> {
                                    deadlines.makeRoom(1);
                                    return Thread.currentThread().isInterrupted();
                                }))
                .isTrue();
        deadline.end();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
