// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Amount;
import io.heapsampler.Estimate;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSnapshot;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Small objects and large ones by turns, inside the thread-local buffer and outside it.
 *
 * <p>From 25 on estimates are within 5 standard errors of what was allocated (6 in 10 million).
 * Before, the JVM samples some mixes too often or too seldom; then a note tells by how much, and
 * the estimate is within 5 standard errors of the truth and that.
 */
class MixTest {

    private static final long BYTES = Tier.of(400, 8_000) * 1_000_000L;
    private static final double FARTHEST = 5;
    private static final Pattern MEASURED = Pattern.compile("stand for ([+-][0-9.]+) %");

    private static void small(int size) {
        for (int i = 0; i < 99; i++) {
            Allocator.sink = Allocator.array(size);
        }
    }

    private static void large(int size) {
        Allocator.sink = Allocator.array(size);
    }

    /** Returns how far the JVM's own sampling is off, in parts of one, as the snapshot tells. */
    private static double toldBias(HeapSnapshot snapshot) {
        for (String note : snapshot.notes()) {
            Matcher matcher = MEASURED.matcher(note);
            if (matcher.find()) {
                return Double.parseDouble(matcher.group(1)) / 100;
            }
        }
        return 0;
    }

    private static double farness(Estimate estimate, double truth) {
        return (estimate.value() - truth) / estimate.standardError();
    }

    @ParameterizedTest
    @CsvSource({
        "200, 300_000, 524_288",
        "200, 300_000, 65_536",
        "1_416, 20_000, 65_536",
        "64, 1_048_576, 65_536",
        "1_024, 4_194_304, 4_194_304"
    })
    void mixIsEstimatedRightOrTheNoteTellsByHowMuchNot(String first, String second, String third) {
        int small = number(first);
        int large = number(second);
        int rounds = (int) (BYTES / (99L * small + large));
        try (HeapRecording recording = Sums.ofThisThread(number(third))) {
            long before = Allocator.allocatedBytes();
            for (int i = 0; i < rounds; i++) {
                small(small);
                large(large);
            }
            double allocated = Allocator.allocatedBytes() - before;
            HeapSnapshot snapshot = recording.snapshot();
            Amount ofSmall = Sums.allocated(snapshot, MixTest.class, "small");
            Amount ofLarge = Sums.allocated(snapshot, MixTest.class, "large");
            Estimate bytes = ofSmall.bytes().plus(ofLarge.bytes());
            double bias = toldBias(snapshot);
            System.out.printf(
                    Locale.ROOT,
                    "accuracy: mix %d + %d at %s: ratio=%.3f z=%.2f told=%.3f small z=%.2f large"
                            + " z=%.2f%n",
                    small,
                    large,
                    third,
                    bytes.value() / allocated,
                    farness(bytes, allocated),
                    bias,
                    farness(ofSmall.objects(), 99.0 * rounds),
                    farness(ofLarge.objects(), rounds));

            if (Tier.IS_FIXED) {
                assertThat(bias).isZero();
                assertThat(farness(ofSmall.objects(), 99.0 * rounds))
                        .isBetween(-FARTHEST, FARTHEST);
                assertThat(farness(ofLarge.objects(), rounds)).isBetween(-FARTHEST, FARTHEST);
            }
            assertThat(farness(bytes, allocated * (1 + bias))).isBetween(-FARTHEST, FARTHEST);
        }
    }

    private static int number(String text) {
        return Integer.parseInt(text.replace("_", ""));
    }
}
