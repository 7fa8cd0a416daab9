// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WatcherTest {

    /** T8: where memory has run out, a look is lost and the next one is taken. */
    @Test
    void failuresAreCountedAndTheOtherDutiesGoOn() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        try (Watcher watcher =
                new Watcher(
                        () -> {
                            throw new NoClassDefFoundError("no metaspace for this one");
                        },
                        () -> {
                            throw new AssertionError("whatever a listener throws");
                        },
                        () -> {
                            throw new OutOfMemoryError("Metaspace");
                        },
                        looks::incrementAndGet)) {
            watcher.start();
            until("two looks", () -> looks.get() >= 2);

            assertThat(watcher.failures()).isGreaterThanOrEqualTo(2);
            assertThat(watcher.lastFailure()).isInstanceOf(OutOfMemoryError.class);
        }
    }

    @Test
    void nothingIsDoneAfterClosing() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        Watcher watcher = new Watcher(looks::incrementAndGet);
        watcher.start();
        until("a look", () -> looks.get() >= 1);
        watcher.close();
        int last = looks.get();
        watcher.close();

        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("heapsampler-doctor"));
        assertThat(looks.get()).isEqualTo(last);
    }

    @Test
    void anInterruptDoesNotEndTheWatch() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        Thread[] thread = new Thread[1];
        try (Watcher watcher =
                new Watcher(
                        () -> {
                            thread[0] = Thread.currentThread();
                            looks.incrementAndGet();
                        })) {
            watcher.start();
            until("a look", () -> looks.get() >= 1);
            thread[0].interrupt();
            int before = looks.get();
            until("another look", () -> looks.get() > before);

            assertThat(watcher.failures()).isZero();
        }
        assertThat(thread[0].isAlive()).isFalse();
    }

    @Test
    void aDutyMayCloseIt() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        Watcher[] it = new Watcher[1];
        it[0] =
                new Watcher(
                        () -> {
                            it[0].close();
                            looks.incrementAndGet();
                        });
        long begin = System.nanoTime();
        it[0].start();
        until("its end", () -> looks.get() == 1);
        it[0].close();

        assertThat(Duration.ofNanos(System.nanoTime() - begin)) // It does not wait for itself.
                .isLessThan(Duration.ofMillis(4_500));
        assertThat(looks.get()).isEqualTo(1);
        assertThat(it[0].failures()).isZero();
    }
}
