// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapRecording;
import io.heapsampler.support.Buffers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Allocation estimates against the program's own count.
 *
 * <p>n objects of s bytes at interval T: the estimate has the mean n and the variance n(1 − p)/p, p
 * = 1 − exp(−s/T). How many standard deviations it is off, z, must be that of a normal
 * distribution. The sizes and intervals are 36 pairs; that one of them is off by more than 6 has a
 * chance of 2 in a million, those at 4 MiB included, whose 32 samples lean to the right. No seed:
 * the JVM draws.
 */
class AllocatedTest {

    private static final int[] SIZES = {16, 24, 64, 200, 1_416, 8_192, 65_536, 307_200, 4_194_304};
    private static final long[] INTERVALS = {4_096, 65_536, 524_288, 4_194_304};
    private static final double SAMPLES = 300;
    private static final double MOST_BYTES = Tier.of(128, 1024) * 1024.0 * 1024.0;
    private static final double FARTHEST = 6;

    private record Trial(int size, long interval, long count, HeapAmount amount) {

        double chance() {
            return 1 - Math.exp(-(double) size / interval);
        }

        /** At least 1 object, so that where nothing is left to chance one may be missing. */
        double deviation() {
            return Math.sqrt(count * (1 - chance()) / chance() + 1);
        }

        double farness() {
            return (amount.objects().value() - count) / deviation();
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "accuracy: size=%d interval=%d objects=%d estimate=%.0f samples=%d ratio=%.3f"
                            + " z=%.2f",
                    size,
                    interval,
                    count,
                    amount.objects().value(),
                    amount.samples(),
                    amount.objects().value() / count,
                    farness());
        }
    }

    private static Trial trial(int size, long interval) {
        double chance = 1 - Math.exp(-(double) size / interval);
        long count = (long) Math.ceil(Math.min(SAMPLES / chance, MOST_BYTES / size));
        try (HeapRecording recording = Sums.ofThisThread(interval)) {
            Allocator.garbage(count, size);
            HeapAmount amount = Sums.allocated(recording.snapshot(), Allocator.class, "garbage");
            return new Trial(size, interval, count, amount);
        }
    }

    private static List<Trial> trials() {
        List<Trial> trials = new ArrayList<>();
        for (long interval : INTERVALS) {
            for (int size : SIZES) {
                Trial trial = trial(size, interval);
                System.out.println(trial);
                trials.add(trial);
            }
        }
        return trials;
    }

    @BeforeEach
    void growBuffer() {
        Buffers.grow();
    }

    @Test
    void objectsOfOneSizeAreEstimatedWithoutBias() {
        List<Trial> trials = trials();
        double squares = trials.stream().mapToDouble(t -> t.farness() * t.farness()).sum();

        assertThat(trials).allSatisfy(t -> assertThat(Math.abs(t.farness())).isLessThan(FARTHEST));
        // Chi-squared with 36 degrees of freedom: 9 of its deviations, less than one in 100
        // million.
        assertThat(squares).isLessThan(trials.size() + 9 * Math.sqrt(2.0 * trials.size()));
    }

    // Bytes of a thread: all that its recording saw against the JVM's own counter. 2,000 samples at
    // 64 KiB of mixed sizes, so the error is about 2.3 %; 5 of them: 6 in 10 million.
    @Test
    void bytesOfAThreadAreThoseOfTheJvm() {
        try (HeapRecording recording = Sums.ofThisThread(65_536)) {
            long before = Allocator.allocatedBytes();
            for (int i = 0; i < 4_000; i++) {
                Allocator.garbage(50, 64);
                Allocator.garbage(20, 200);
                Allocator.garbage(3, 8_192);
            }
            long allocated = Allocator.allocatedBytes() - before;
            HeapAmount amount = Sums.allocated(recording.snapshot(), Allocator.class, "garbage");
            double error = amount.bytes().standardError();

            assertThat((amount.bytes().value() - allocated) / error).isBetween(-5.0, 5.0);
        }
    }
}
