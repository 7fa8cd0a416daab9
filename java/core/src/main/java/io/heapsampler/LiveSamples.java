// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Info;
import io.heapsampler.internal.SampleColumns;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The confirmed live samples of a snapshot, in an order in which those of another snapshot of the
 * same recording are found again. A sample has no name of its own. It is known by its site, the
 * size of the object, the chance with which it was taken, and the time of its birth.
 */
final class LiveSamples {

    private static final int NONE = -1;

    /**
     * Times that differ by no more are the same. A sample has one time in all snapshots, unless the
     * wall clock was set, so this is only a margin.
     */
    private static final long JITTER_MICROS = 1_000;

    private final long takenAtMicros;
    private final long sampledMicros;
    private final int[] site;
    private final long[] size;
    private final long[] born;
    private final double[] taken;
    private final double[] chance;
    private final Unseen unseen;

    /**
     * Makes them.
     *
     * @param siteNumbers a number for each site of the snapshot, the same number for the same site
     *     of any snapshot
     */
    LiveSamples(HeapSnapshot snapshot, int[] siteNumbers) {
        takenAtMicros = snapshot.takenAtMicros();
        sampledMicros = snapshot.data().info(Info.SAMPLED_MICROS);
        SampleColumns samples = snapshot.data().samples;
        double[] allTaken =
                IntStream.range(0, samples.living).mapToDouble(samples::chanceToBeTaken).toArray();
        Comparator<Integer> order =
                Comparator.comparingInt((Integer i) -> siteNumbers[samples.site(i)])
                        .thenComparingLong(samples::size)
                        .thenComparingDouble(i -> allTaken[i])
                        .thenComparingLong(samples::allocatedMicros);
        int[] sorted =
                IntStream.range(0, samples.living)
                        .filter(i -> samples.liveness(i) == Liveness.LIVE.ordinal())
                        .boxed()
                        .sorted(order)
                        .mapToInt(Integer::intValue)
                        .toArray();
        site = IntStream.of(sorted).map(i -> siteNumbers[samples.site(i)]).toArray();
        size = IntStream.of(sorted).mapToLong(samples::size).toArray();
        born = IntStream.of(sorted).mapToLong(samples::allocatedMicros).toArray();
        taken = IntStream.of(sorted).mapToDouble(i -> allTaken[i]).toArray();
        chance = IntStream.of(sorted).mapToDouble(samples::chance).toArray();
        unseen = new Unseen(snapshot.data());
    }

    int count() {
        return site.length;
    }

    int site(int i) {
        return site[i];
    }

    double size(int i) {
        return (double) size[i];
    }

    /** The chance with which sample {@code i} was taken and kept. */
    double chance(int i) {
        return chance[i];
    }

    /** The bytes for which an object would stand that was missed. */
    Unseen unseen() {
        return unseen;
    }

    /**
     * Finds the samples of this snapshot in an earlier one. Where the clock was set in between, all
     * births have moved by the same time. That time is known if sampling did not stop; otherwise
     * nothing is found, and all samples count as different.
     *
     * @return for each sample its number in the earlier snapshot, or −1
     */
    int[] numbersIn(LiveSamples earlier) {
        int[] numbers = numbersIn(earlier, 0);
        long sampled = sampledMicros - earlier.sampledMicros;
        long moved = takenAtMicros - earlier.takenAtMicros - sampled;
        if (sampled <= 0 || Math.abs(moved) <= JITTER_MICROS) {
            return numbers;
        }
        int[] others = numbersIn(earlier, moved);
        return found(others) > found(numbers) ? others : numbers;
    }

    private int[] numbersIn(LiveSamples earlier, long moved) {
        int[] numbers = new int[count()];
        int there = 0;
        for (int here = 0; here < numbers.length; here++) {
            while (there < earlier.count() && isBefore(earlier, there, here, moved)) {
                there++;
            }
            boolean isSame = there < earlier.count() && isSame(earlier, there, here, moved);
            numbers[here] = isSame ? there++ : NONE;
        }
        return numbers;
    }

    private boolean isBefore(LiveSamples earlier, int there, int here, long moved) {
        int order = Integer.compare(earlier.site[there], site[here]);
        order = order != 0 ? order : Long.compare(earlier.size[there], size[here]);
        order = order != 0 ? order : Double.compare(earlier.taken[there], taken[here]);
        return order < 0
                || (order == 0 && earlier.born[there] + moved < born[here] - JITTER_MICROS);
    }

    private boolean isSame(LiveSamples earlier, int there, int here, long moved) {
        return earlier.site[there] == site[here]
                && earlier.size[there] == size[here]
                && Double.compare(earlier.taken[there], taken[here]) == 0
                && Math.abs(earlier.born[there] + moved - born[here]) <= JITTER_MICROS;
    }

    private static long found(int[] numbers) {
        return IntStream.of(numbers).filter(number -> number != NONE).count();
    }
}
