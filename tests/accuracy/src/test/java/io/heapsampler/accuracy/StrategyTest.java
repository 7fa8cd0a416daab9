// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.Amount;
import io.heapsampler.DropCause;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.Strategy;
import io.heapsampler.ThreadTotals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What was allocated, against what the program counted, where samples are chosen by other things
 * than bytes. Estimates within 5 of their standard errors: one false alarm in 2 million each.
 */
class StrategyTest {

    private static final double FARTHEST = 5;
    private static final int SIZE = 64;

    @AfterEach
    void end() {
        HeapSampler.stop();
        HeapSampler.reset();
    }

    private static void start(Strategy strategy) {
        HeapSampler.start(SamplerOptions.builder().strategy(strategy).build());
    }

    private static double farness(String what, Amount amount, double objects) {
        double z = (amount.objects().value() - objects) / amount.objects().standardError();
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
        start(Strategy.allocations(50));
        Allocator.garbage(100_000, SIZE);
        Amount small = garbage();
        HeapSampler.reset();
        Allocator.garbage(10_000, 65_536);
        Amount large = garbage();

        assertThat(farness("1 in 50, small", small, 100_000)).isBetween(-FARTHEST, FARTHEST);
        assertThat(farness("1 in 50, large", large, 10_000)).isBetween(-FARTHEST, FARTHEST);
        // All of one size and one chance: each sample stands for 50 objects and their bytes.
        assertThat(small.bytes().value())
                .isCloseTo(small.objects().value() * SIZE, within(1e-6 * small.bytes().value()));
        assertThat(small.objects().value())
                .isCloseTo(50.0 * small.samples(), within(1e-4 * small.objects().value()));
        assertThat(HeapSampler.snapshot().strategy()).isEqualTo(Strategy.allocations(50));
        assertThat(HeapSampler.snapshot().notes()).anyMatch(note -> note.contains("one in 50"));
    }

    private static Amount garbage() {
        return Sums.allocated(HeapSampler.snapshot(), Allocator.class, "garbage");
    }

    // 8 equal threads of 40,000 allocations, 1 in 20: 2,000 samples each, deviation 44. Each within
    // 5
    // of what is true: one false alarm in 200,000 runs. The first threads to be sampled stop none.
    @Test
    void equalThreadsGetEqualWeight() throws InterruptedException {
        start(Strategy.allocations(20));
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
                    .isBetween(-FARTHEST, FARTHEST);
        }
    }

    // What stays alive is weighed alike: 5,000 arrays, 1 in 10: 500 samples.
    @Test
    void whatLivesHasTheChanceThatItWasTakenWith() {
        start(Strategy.allocations(10));
        byte[][] kept = new byte[5_000][];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = Allocator.array(SIZE);
        }
        HeapSnapshot snapshot = HeapSampler.snapshot(SnapshotOptions.afterGc());
        Amount live = Sums.live(snapshot, Allocator.class, "array");
        Allocator.sink = kept;
        Allocator.sink = null;

        if (live.samples() > 0) { // Epsilon confirms nothing.
            assertThat(farness("live, 1 in 10", live, 5_000)).isBetween(-FARTHEST, FARTHEST);
        }
    }

    // Bursts of small objects, and a large one after each pause, where a cap that keeps what comes
    // first would prefer it. About 200 periods; the bound is on what a period can hold at all.
    @Test
    void aCapLosesNothingOnAverage() throws InterruptedException {
        Duration period = Duration.ofMillis(2);
        HeapSampler.start(
                SamplerOptions.builder()
                        .interval(4_096)
                        .strategy(Strategy.atMostOnePer(period))
                        .build());
        long began = System.nanoTime();
        for (int i = 0; i < 40; i++) {
            AfterPause.large();
            Allocator.garbage(20_000, SIZE);
            Thread.sleep(5);
        }
        double periods = (System.nanoTime() - began) / (double) period.toNanos();
        HeapSnapshot snapshot = HeapSampler.snapshot();
        Amount small = Sums.allocated(snapshot, Allocator.class, "garbage");
        Amount large = Sums.allocated(snapshot, AfterPause.class, "large");

        assertThat(farness("capped, bursts", small, 800_000)).isBetween(-FARTHEST, FARTHEST);
        assertThat(farness("capped, after pauses", large, 40)).isLessThan(FARTHEST);
        assertThat(snapshot.totals().allocated().samples()).isBetween(1L, (long) (2 * periods) + 2);
        assertThat(snapshot.dropped().get(DropCause.CAPPED)).isPositive();
        assertThat(snapshot.notes()).anyMatch(note -> note.contains("one sample per 2.0 ms"));
    }

    /** A site of its own. */
    private static final class AfterPause {
        static void large() {
            Allocator.sink = Allocator.array(100_000);
        }
    }
}
