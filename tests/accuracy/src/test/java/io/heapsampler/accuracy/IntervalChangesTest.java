// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Thousands of beginnings, ends and changes of the interval: each sample is weighed with the
 * interval with which its step was drawn, so the sum over all of them is right.
 *
 * <p>By the error that the truth would have, 5 below and 6 above: the largest intervals have 150
 * samples here, of which 3 in 10 million go so far. Our own random numbers have a seed, those of
 * the JVM none.
 */
class IntervalChangesTest {

    private static final int CYCLES = Tier.of(200, 15_000);
    private static final int COUNT = Tier.of(750, 300);
    private static final int SIZE = 64;

    /** Objects from one change to the next, and how many changes may be late. */
    private static final long STEP = 1_000;

    private static final long AHEAD = 4;

    /** The interval of recordings beside threads that run on. */
    private static final int BESIDE = 1_024;

    private static final long[] INTERVALS = {0, 256, 1_024, 4_096, 16_384};

    private final Random random = new Random(20261121);
    private Estimate sum = Estimate.of(0, 0, 0, 0);

    private long anyInterval() {
        return INTERVALS[random.nextInt(INTERVALS.length)];
    }

    private void add(HeapRecording recording) {
        HeapAmount seen = Sums.allocated(recording.snapshot(), Allocator.class, "garbage");
        sum = sum.plus(seen.objects());
    }

    private void check(long truth) {
        double error = sum.standardError() * Math.sqrt(truth / sum.value());
        double z = (sum.value() - truth) / error;
        System.out.printf(
                "accuracy: interval changes objects=%d estimate=%s ratio=%.4f z=%.2f%n",
                truth, sum, sum.value() / truth, z);
        assertThat(z).isBetween(-5.0, 6.0);
    }

    @Test
    void recordingsThatBeginAndEndAreRightTogether() {
        for (int i = 0; i < CYCLES; i++) {
            try (HeapRecording recording = Sums.ofThisThread(anyInterval())) {
                Allocator.garbage(COUNT, SIZE);
                add(recording);
            }
        }
        check((long) CYCLES * COUNT);
    }

    @Test
    void intervalThatChangesWhileItRunsIsRight() {
        try (HeapRecording recording = Sums.ofThisThread(anyInterval())) {
            for (int i = 0; i < CYCLES; i++) {
                Allocator.garbage(COUNT, SIZE);
                recording.setInterval(anyInterval());
            }
            add(recording);
        }
        check((long) CYCLES * COUNT);
    }

    // 4 threads that are there all the time. The rest of their buffers at each beginning is not
    // sampled, so a collection takes these away first. From JDK 25 on the first sample of each is
    // dropped after each beginning, and what it had allocated by then is missing, an interval on
    // average: a note says so. Before, the tail of a buffer counts as allocated: 3.5 % were seen.
    // The rest is chance: 5 deviations below, 6 above, as of the others; no seed.
    @Test
    void recordingsBesideThreadsThatRunOnAreRightExceptForTheirFirstSamples() throws Exception {
        int cycles = Tier.of(100, 2_000);
        int told = 0; // not where one thread did what was meant for four
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int i = 0; i < cycles; i++) {
                told += recordingBeside(threads) ? 1 : 0;
            }
        } finally {
            threads.shutdownNow();
        }
        double truth = 4.0 * cycles * COUNT;
        double missing = Tier.IS_FIXED ? 4.0 * cycles * BESIDE / SIZE : 0;
        double tail = Tier.IS_FIXED ? 0 : truth / 16;
        double error = sum.standardError() * Math.sqrt(truth / sum.value());
        System.out.printf(
                "accuracy: %d recordings beside 4 threads objects=%.0f estimate=%s ratio=%.4f%n",
                cycles, truth, sum, sum.value() / truth);
        assertThat(sum.value()).isBetween(truth - missing - 5 * error, truth + tail + 6 * error);
        assertThat(told > 0).as("a note, in %d of them", told).isEqualTo(Tier.IS_FIXED);
    }

    /** Records what threads do that were there before; does a note tell of their first samples? */
    private boolean recordingBeside(ExecutorService threads) throws Exception {
        try (HeapRecording recording =
                HeapSampler.record(
                        RecordingOptions.builder().interval(BESIDE).className("byte[]").build())) {
            System.gc();
            List<Future<?>> futures = new ArrayList<>();
            for (int j = 0; j < 4; j++) {
                futures.add(threads.submit(() -> Allocator.garbage(COUNT, SIZE)));
            }
            for (Future<?> future : futures) {
                future.get();
            }
            add(recording);
            return recording.snapshot().notes().stream()
                    .anyMatch(note -> note.id().equals("first-samples-dropped"));
        }
    }

    // 4 threads allocate while 3 others change the interval, in step: after every 1,000 objects
    // there is a change. Before JDK 25 the tail of a buffer counts as allocated.
    @Test
    void intervalThatSeveralThreadsChangeIsRight() throws Exception {
        int each = Tier.of(75_000, 1_000_000);
        AtomicLong done = new AtomicLong();
        AtomicLong changes = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(7);
        try (HeapRecording recording =
                HeapSampler.record(
                        RecordingOptions.builder().interval(256).className("byte[]").build())) {
            List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                futures.add(threads.submit(() -> allocate(each, done, changes)));
            }
            for (int i = 0; i < 3; i++) {
                Random own = new Random(20261122 + i);
                futures.add(threads.submit(() -> change(recording, own, 4L * each, done, changes)));
            }
            for (Future<?> future : futures) {
                future.get();
            }
            add(recording);
        } finally {
            threads.shutdownNow(); // One that failed would leave the others waiting for it.
        }
        double truth = 4.0 * each;
        double tail = Tier.IS_FIXED ? 0 : truth / 64;
        double error = sum.standardError() * Math.sqrt(truth / sum.value());
        System.out.printf(
                "accuracy: %d interval changes by 3 threads objects=%.0f estimate=%s ratio=%.4f%n",
                changes.get(), truth, sum, sum.value() / truth);
        assertThat(changes.get()).isGreaterThanOrEqualTo(4L * each / STEP - AHEAD);
        assertThat(sum.value()).isBetween(truth - 5 * error, truth + tail + 6 * error);
    }

    private static boolean isInterrupted() {
        return Thread.currentThread().isInterrupted();
    }

    private static void allocate(int count, AtomicLong done, AtomicLong changes) {
        for (int i = 0; i < count; i += 100) {
            while (done.get() >= (changes.get() + AHEAD) * STEP && !isInterrupted()) {
                Thread.yield();
            }
            Allocator.garbage(100, SIZE);
            done.addAndGet(100);
        }
    }

    private static void change(
            HeapRecording recording, Random random, long end, AtomicLong done, AtomicLong changes) {
        while (done.get() < end && !isInterrupted()) {
            if (done.get() >= changes.get() * STEP) {
                recording.setInterval(INTERVALS[random.nextInt(INTERVALS.length)]);
                changes.incrementAndGet();
            } else {
                Thread.yield();
            }
        }
    }

    // The smallest interval requested is in force; each recording sees all samples and weighs them.
    @Test
    void recordingWithSmallerIntervalsBesideItIsRight() {
        try (HeapRecording outer = Sums.ofThisThread(4_096)) {
            for (int i = 0; i < CYCLES; i++) {
                Allocator.garbage(COUNT, SIZE);
                try (HeapRecording inner = Sums.ofThisThread(256)) {
                    Allocator.garbage(COUNT, SIZE);
                    assertThat(inner.isOpen()).isTrue();
                }
            }
            add(outer);
        }
        check(2L * CYCLES * COUNT);
    }
}
