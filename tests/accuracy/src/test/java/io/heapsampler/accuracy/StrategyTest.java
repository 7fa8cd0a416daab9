// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.heapsampler.DropCause;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.ThreadTotals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Allocation estimates against the program's own count, where samples are chosen by other things
 * than bytes. Estimates within 5 of their standard errors: one false alarm in 2 million each.
 */
class StrategyTest {

    /** Below and above, of 200 samples or more: one in ten million, those above being farther. */
    private static final double FARTHEST = 5;

    private static final double FARTHEST_ABOVE = 6;
    private static final int SIZE = 64;

    @AfterEach
    void end() {
        HeapSampler.stop();
        HeapSampler.reset();
    }

    private static void start(SamplingStrategy strategy) {
        HeapSampler.start(SamplerOptions.builder().strategy(strategy).build());
    }

    private static double farness(String what, HeapAmount amount, double objects) {
        double error = amount.objects().standardError();
        double z = (amount.objects().value() - objects) / error;
        z *=
                Math.sqrt(
                        amount.objects().value()
                                / objects); // by the error that the truth would have
        System.out.printf(
                Locale.ROOT,
                "accuracy: %s: objects=%.0f estimate=%s samples=%d z=%.2f%n",
                what,
                objects,
                amount.objects(),
                amount.samples(),
                z);
        return z;
    }

    // 2,000 samples of small objects, 200 of large ones.
    @Test
    void countedAllocationsHaveOneChanceWhateverTheirSize() {
        start(SamplingStrategy.allocations(50));
        Allocator.garbage(100_000, SIZE);
        HeapAmount small = garbage();
        HeapSampler.reset();
        Allocator.garbage(10_000, 65_536);
        HeapAmount large = garbage();

        assertThat(farness("1 in 50, small", small, 100_000)).isBetween(-FARTHEST, FARTHEST_ABOVE);
        assertThat(farness("1 in 50, large", large, 10_000)).isBetween(-FARTHEST, FARTHEST_ABOVE);
        // All of one size and one chance: each sample stands for 50 objects and their bytes.
        assertThat(small.bytes().value())
                .isCloseTo(small.objects().value() * SIZE, within(1e-6 * small.bytes().value()));
        assertThat(small.objects().value())
                .isCloseTo(50.0 * small.samples(), within(1e-4 * small.objects().value()));
        assertThat(HeapSampler.snapshot().strategy()).isEqualTo(SamplingStrategy.allocations(50));
        assertThat(HeapSampler.snapshot().notes())
                .anyMatch(note -> note.text().contains("one in 50"));
    }

    private static HeapAmount garbage() {
        return Sums.allocated(HeapSampler.snapshot(), Allocator.class, "garbage");
    }

    // 8 equal threads of 40,000 allocations, 1 in 20: 2,000 samples each, deviation 44. Each within
    // 5
    // of what is true: one false alarm in 200,000 runs. The first threads to be sampled stop none.
    @Test
    void equalThreadsGetEqualWeight() throws InterruptedException {
        start(SamplingStrategy.allocations(20));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(new Thread(() -> Allocator.garbage(40_000, SIZE), "equal-" + i));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        List<ThreadTotals> totals =
                HeapSampler.snapshot().threads().stream()
                        .filter(thread -> thread.threadName().startsWith("equal-"))
                        .toList();
        assertThat(totals).hasSize(8);
        for (ThreadTotals thread : totals) {
            assertThat(farness(thread.threadName(), thread.allocated(), 40_000))
                    .isBetween(-FARTHEST, FARTHEST_ABOVE);
        }
    }

    // What stays alive is weighed alike: 5,000 arrays, 1 in 10: 500 samples.
    @Test
    void whatLivesHasTheChanceThatItWasTakenWith() {
        start(SamplingStrategy.allocations(10));
        byte[][] kept = new byte[5_000][];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = Allocator.array(SIZE);
        }
        HeapSnapshot snapshot = HeapSampler.snapshot(SnapshotOptions.afterGc());
        HeapAmount live = Sums.live(snapshot, Allocator.class, "array");
        Allocator.sink = kept;
        Allocator.sink = null;

        assumeFalse(
                HeapSampler.status().collector() == GarbageCollector.EPSILON,
                "Epsilon never collects");
        assertThat(farness("live, 1 in 10", live, 5_000)).isBetween(-FARTHEST, FARTHEST_ABOVE);
    }

    // 400 bursts of 20 candidates, and a large object after each pause, where a cap that keeps what
    // comes first would prefer it: it is kept with 1 in 11 or more, about 36 times. None at all is
    // one false alarm in 10^15. On a loaded machine bursts are spread over more periods, some come
    // after pauses, and the stated errors are then too small (estimator.md, section 10): 12 of
    // them.
    @Test
    void aCapLosesNothingOnAverage() throws InterruptedException {
        Duration period = Duration.ofMillis(1);
        cap(period, 65_536);
        long began = System.nanoTime();
        for (int i = 0; i < 400; i++) {
            AfterPause.large();
            Allocator.garbage(20_000, SIZE);
            Thread.sleep(2);
        }
        double periods = (System.nanoTime() - began) / (double) period.toNanos();
        HeapSnapshot snapshot = HeapSampler.snapshot();
        HeapAmount small = Sums.allocated(snapshot, Allocator.class, "garbage");
        HeapAmount large = Sums.allocated(snapshot, AfterPause.class, "large");

        assertThat(farness("capped, bursts", small, 8_000_000)).isBetween(-12.0, 12.0);
        assertThat(large.samples()).isPositive();
        assertThat(farness("capped, after pauses", large, 400)).isLessThan(12);
        assertThat(snapshot.totals().allocated().samples()).isBetween(1L, (long) (2 * periods) + 2);
        assertThat(snapshot.dropped().get(DropCause.CAPPED)).isPositive();
        assertThat(snapshot.notes())
                .anyMatch(note -> note.text().contains("one sample per 1.0 ms"));
    }

    private static void cap(Duration period, int interval) {
        HeapSampler.start(
                SamplerOptions.builder()
                        .interval(interval)
                        .maxOverhead(1)
                        .strategy(SamplingStrategy.atMostOnePer(period))
                        .build());
    }

    // 8 candidates are expected of a first period, which lasts half an hour or longer.
    @Test
    void aBurstThatNothingStandsForIsReported() {
        cap(Duration.ofHours(1), 0);
        Allocator.garbage(10_000, SIZE);
        HeapSnapshot snapshot = HeapSampler.snapshot();

        assertThat(snapshot.totals().allocated().samples()).isLessThanOrEqualTo(1);
        assertThat(snapshot.dropped().get(DropCause.BURST)).isGreaterThanOrEqualTo(9_000);
        assertThat(snapshot.notes()).anyMatch(note -> note.id().equals("bursts"));
    }

    // Threads that have drawn how far they go to their first sample before every allocation is
    // reported, 512 KiB on average: that sample stands for what comes before it. 16 threads of
    // 100,000 arrays of 64 bytes, twice, with sampling off in between. What a thread allocates in
    // the buffer that it has at a start is never reported, and from JDK 25 on the first sample
    // after
    // it is not counted: so there is no bound by errors below, only above. In a large heap that may
    // be all of it, so each thread gets a new buffer half-way: its half is there.
    @Test
    void aFirstSampleReachedByBytesStandsForWhatCameBefore() throws InterruptedException {
        int threads = 16;
        int arrays = 100_000;
        CyclicBarrier barrier = new CyclicBarrier(threads + 1);
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> twice(barrier, arrays), "running-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        for (int round = 0; round < 2; round++) {
            start(SamplingStrategy.allocations(50));
            letAllocate(barrier);
            HeapSampler.stop();
            letAllocate(barrier);
        }

        HeapAmount amount = Sums.allocated(HeapSampler.snapshot(), Allocator.class, "garbage");
        double objects = 2.0 * threads * arrays;
        assertThat(farness("running threads, 1 in 50", amount, objects)).isLessThan(FARTHEST);
        assertThat(amount.objects().value()).as("no stretch is missing").isGreaterThan(objects / 4);
    }

    private static void letAllocate(CyclicBarrier barrier) {
        meet(barrier);
        meet(barrier);
        System.gc();
        meet(barrier);
        meet(barrier);
    }

    /** Allocates while it is sampled, and as much again while it is not. */
    private static void twice(CyclicBarrier barrier, int arrays) {
        Allocator.garbage(1_000, SIZE);
        for (int half = 0; half < 8; half++) {
            meet(barrier);
            Allocator.garbage(arrays / 2, SIZE);
            meet(barrier);
        }
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new IllegalStateException("a thread did not come", e);
        }
    }

    /** A site of its own. */
    private static final class AfterPause {
        static void large() {
            Allocator.sink = Allocator.array(100_000);
        }
    }
}
