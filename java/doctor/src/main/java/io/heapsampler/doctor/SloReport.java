// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.List;

/**
 * The cost of collections, compared with the objectives. It has three independent axes: latency
 * (the longest pause), throughput (the share of time left to the application) and capacity (the
 * memory of heap and process).
 *
 * <p>Only {@linkplain CollectionKind#isPause() pauses} count: the duration of a concurrent cycle is
 * no loss of time. The JVM reports durations in whole milliseconds, cut off at both ends. Sums are
 * right on average.
 *
 * @param minutes the minutes of the period; the last one can be incomplete
 * @param minutesOver those in which pauses took more than {@link Slo#pauseMillisPerMinute()}
 * @param heapCommittedMax in bytes; −1 if there was no tick
 * @param residentMax in bytes; −1 if it is not known
 */
record SloReport(
        Slo slo,
        long fromMillis,
        long toMillis,
        long pauses,
        double pauseMillis,
        double longestPauseMillis,
        double throughput,
        long minutes,
        long minutesOver,
        double worstMinuteMillis,
        long heapCommittedMax,
        long residentMax) {

    private static final long MINUTE = 60_000;

    /** Binary fractions do not meet 6.0 ms; a nanosecond more is not more. */
    private static final double ROUNDING_MILLIS = 1e-6;

    /** Measures a timeline from its first tick, or since when no collection is missing. */
    static SloReport of(Timeline timeline, Slo slo) {
        List<Tick> ticks = timeline.ticks();
        if (ticks.isEmpty()) {
            return new SloReport(slo, 0, 0, 0, 0, 0, 1, 0, 0, 0, -1, -1);
        }
        long from = Math.max(ticks.get(0).atMillis(), timeline.completeFromMillis());
        long to = Math.max(from, ticks.get(ticks.size() - 1).atMillis());
        int minutes = (int) ((to - from + MINUTE - 1) / MINUTE);
        double[] byMinute = new double[Math.max(1, minutes)];
        long count = 0;
        double millis = 0;
        double longest = 0;
        for (GcEvent it : timeline.collections()) {
            if (it.kind().isPause() && it.atMillis() >= from && it.atMillis() <= to) {
                int minute = (int) ((it.atMillis() - from) / MINUTE);
                byMinute[Math.min(minute, byMinute.length - 1)] += it.durationMillis();
                count++;
                millis += it.durationMillis();
                longest = Math.max(longest, it.durationMillis());
            }
        }
        long over = 0;
        double worst = 0;
        for (double each : byMinute) {
            over += each > slo.pauseMillisPerMinute() + ROUNDING_MILLIS ? 1 : 0;
            worst = Math.max(worst, each);
        }
        return new SloReport(
                slo,
                from,
                to,
                count,
                millis,
                longest,
                to == from ? 1 : Math.max(0, 1 - millis / (to - from)),
                minutes,
                over,
                worst,
                ticks.stream().mapToLong(Tick::heapCommitted).max().orElse(-1),
                ticks.stream().mapToLong(Tick::resident).max().orElse(-1));
    }

    boolean meetsPauses() {
        return longestPauseMillis <= slo.pauseMaxMillis() + ROUNDING_MILLIS;
    }

    boolean meetsThroughput() {
        double wall = (double) toMillis - fromMillis;
        return pauseMillis <= wall * (1 - slo.throughputMin()) + ROUNDING_MILLIS;
    }

    /** Whether all objectives were met, also in each minute. */
    boolean isMet() {
        return meetsPauses() && meetsThroughput() && minutesOver == 0;
    }
}
