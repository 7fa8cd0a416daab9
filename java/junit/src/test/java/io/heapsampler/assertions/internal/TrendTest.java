// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.internal.LiveSeries.Kind;
import io.heapsampler.assertions.internal.LiveSeries.Trend;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which trends of live counts are leaks. */
class TrendTest {

    /** Looks after single runs, then looks after several each. */
    private static final int PROOF = 11;

    private static Trend trend(double... counts) {
        return Trend.of(counts, 0, counts.length - 1);
    }

    private static Kind kind(double... counts) {
        return trend(counts).afterEachRun();
    }

    private static Kind later(double... counts) {
        double[] later = Arrays.copyOfRange(counts, PROOF - 1, counts.length);
        return trend(counts).afterMoreRuns(trend(later));
    }

    @Test
    void growthInEachRunIsALeak() {
        assertThat(kind(0, 1, 2, 3, 4, 5)).isEqualTo(Kind.GROWING);
        assertThat(kind(7, 8, 18, 19, 20, 21)).isEqualTo(Kind.GROWING);
    }

    @Test
    void countThatStaysTheSameIsNone() {
        assertThat(kind(5, 5, 5, 5, 5, 5)).isEqualTo(Kind.STILL);
        assertThat(kind(5, 4, 5, 4, 5, 5)).isEqualTo(Kind.STILL);
        assertThat(kind(9, 1, 2, 3, 4, 5)).isEqualTo(Kind.STILL);
    }

    @Test
    void growthInSomeRunsNeedsMoreRuns() {
        assertThat(kind(1, 1, 2, 2, 2, 2)).isEqualTo(Kind.UNDECIDED);
        assertThat(kind(1, 2, 3, 2, 3, 4)).isEqualTo(Kind.UNDECIDED);
    }

    @Test
    void arrayThatGrowsByStepsIsALeak() {
        double[] counts = new double[23];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = 16 << (i / 9); // two steps
        }

        assertThat(later(counts)).isEqualTo(Kind.GROWING);
    }

    @Test
    void oneStepIsNone() {
        double[] counts = new double[23];
        Arrays.fill(counts, 5, counts.length, 1);

        assertThat(later(counts)).isEqualTo(Kind.STILL);
    }

    @Test
    void cacheThatFillsUpDuringTheProofIsNone() {
        double[] counts = new double[23];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = Math.min(i, 8);
        }

        assertThat(later(counts)).isEqualTo(Kind.STILL);
    }

    private static Kind tooFew(boolean isDoubled, double... later) {
        double[] counts = new double[PROOF + later.length];
        Arrays.fill(counts, 5, counts.length, 1); // a step in the proof
        System.arraycopy(later, 0, counts, PROOF, later.length);
        Trend more = trend(Arrays.copyOfRange(counts, PROOF - 1, counts.length));
        return trend(counts).afterTooFewRuns(more, isDoubled);
    }

    @Test
    void growthThatTooFewRunsFollowIsOpen() {
        assertThat(tooFew(false, 1, 1)).isEqualTo(Kind.UNDECIDED);
        assertThat(tooFew(true, 1, 2)).isEqualTo(Kind.UNDECIDED);
        assertThat(tooFew(true, 2, 3)).isEqualTo(Kind.UNDECIDED);
    }

    @Test
    void growthThatStopsForAsManyRunsAsBeforeIsNone() {
        assertThat(tooFew(true, 1, 1)).isEqualTo(Kind.STILL);
        assertThat(tooFew(false, 0, 0)).isEqualTo(Kind.STILL);
    }

    @Test
    void growthAtEachOfAFewLooksIsALeak() {
        assertThat(tooFew(false, 2, 3, 4)).isEqualTo(Kind.GROWING);
    }

    @Test
    void leakShowsThroughObjectsThatComeAndGo() {
        Random random = new Random(1);
        double[] counts = new double[23];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = (i < PROOF ? i : 7 * (i - PROOF) + PROOF) + random.nextInt(3);
        }

        assertThat(later(counts)).isEqualTo(Kind.GROWING);
    }

    /** The stated rate is 1 in 500; this many series have one alarm or none nearly always. */
    @Test
    void countsInRandomOrderAreHardlyEverALeak() {
        Random random = new Random(2);
        int alarms = 0;
        for (int i = 0; i < 20_000; i++) {
            double[] counts = random.doubles(23).toArray();
            boolean isOpen =
                    kind(Arrays.copyOf(counts, PROOF)) == Kind.UNDECIDED
                            && later(counts) == Kind.GROWING;
            alarms += isOpen || kind(Arrays.copyOf(counts, 6)) == Kind.GROWING ? 1 : 0;
        }

        assertThat(alarms).isLessThan(20_000 / 500);
    }
}
