// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Amount;
import io.heapsampler.Estimate;
import io.heapsampler.HeapRecording;
import java.util.Random;
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

    private static final int CYCLES = Tier.of(500, 15_000);
    private static final int COUNT = 300;
    private static final int SIZE = 64;
    private static final long[] INTERVALS = {0, 256, 1_024, 4_096, 16_384};

    private final Random random = new Random(20261121);
    private Estimate sum = Estimate.of(0, 0, 0, 0);

    private long anyInterval() {
        return INTERVALS[random.nextInt(INTERVALS.length)];
    }

    private void add(HeapRecording recording) {
        Amount seen = Sums.allocated(recording.snapshot(), Allocator.class, "garbage");
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

    // The smallest interval asked for is in force; each recording sees all samples and weighs them.
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
