// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.SnapshotOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Everything at once. */
@ExtendWith(CleanSampler.class)
class ConcurrencyTest {

    private static final long RUN_NANOS = 1_500_000_000;

    private static final class Marker {}

    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private final long end = System.nanoTime() + RUN_NANOS;

    private void repeat(String name, Runnable action) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                while (System.nanoTime() < end) {
                                    action.run();
                                }
                            } catch (RuntimeException | Error e) {
                                failures.add(e);
                            }
                        },
                        name);
        threads.add(thread);
        thread.start();
    }

    private static void allocate() {
        List<Object> some = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            some.add(new Marker());
            some.add(new byte[i]);
            some.add("text " + i);
        }
        Work.sink = some;
    }

    private static void allocateInAThread() {
        Thread thread = new Thread(ConcurrencyTest::allocate);
        thread.start();
        try {
            Await.end(thread);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void startAndStop() {
        HeapSampler.start();
        allocate();
        HeapSampler.stop();
        HeapSampler.reset();
    }

    private static void recordAndRead() {
        try (HeapRecording recording = Recordings.every(200)) {
            allocate();
            double sum =
                    recording.snapshot().sites().stream()
                            .mapToDouble(s -> s.allocated().bytes().value())
                            .sum();
            assertThat(sum).isPositive();
        }
    }

    @Test
    @Tag("J25")
    void allCallsFromAllThreadsWorkBesideAllocation() throws InterruptedException {
        repeat("allocator 1", ConcurrencyTest::allocate);
        repeat("allocator 2", ConcurrencyTest::allocate);
        repeat("thread maker", ConcurrencyTest::allocateInAThread);
        repeat("starter 1", ConcurrencyTest::startAndStop);
        repeat("starter 2", ConcurrencyTest::startAndStop);
        repeat("recorder", ConcurrencyTest::recordAndRead);
        Random random = new Random(7);
        repeat("changer", () -> HeapSampler.setInterval(random.nextInt(100_000)));
        repeat("reader", () -> HeapSampler.snapshot().topByAllocated(3));
        repeat("collector", () -> HeapSampler.snapshot(SnapshotOptions.afterGc()));
        repeat("watcher", HeapSampler::status);
        for (Thread thread : threads) {
            Await.end(thread);
        }

        assertThat(failures).isEmpty();
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            Work.sink = new Marker();
            assertThat(Recordings.objectsOf(recording.snapshot(), Marker.class)).isEqualTo(1);
        }
    }
}
