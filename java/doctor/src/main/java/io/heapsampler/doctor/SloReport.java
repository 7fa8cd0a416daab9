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
 */
final class SloReport {

    private static final long MINUTE = 60_000;

    /** Binary fractions do not meet 6.0 ms; a nanosecond more is not more. */
    private static final double ROUNDING_MILLIS = 1e-6;

    final Slo slo;
    final long heapCommittedMax; // In bytes; −1 if there was no tick.
    final long residentMax; // In bytes; −1 if it is not known.
    final long minutes; // Of the period; the last one can be incomplete.
    private final double wall;
    long pauses;
    double pauseMillis;
    double longestPauseMillis;
    long minutesOver; // Those with more than {@link Slo#pauseMillisPerMinute()} in pauses.
    double worstMinuteMillis;

    /** Measures a timeline from its first tick, or since when no collection is missing. */
    SloReport(Timeline timeline, Slo slo) {
        this.slo = slo;
        List<Tick> ticks = timeline.ticks();
        heapCommittedMax = ticks.stream().mapToLong(Tick::heapCommitted).max().orElse(-1);
        residentMax = ticks.stream().mapToLong(Tick::resident).max().orElse(-1);
        long first = ticks.isEmpty() ? 0 : ticks.get(0).atMillis();
        long from = Math.max(first, timeline.completeFromMillis());
        long to = Math.max(from, ticks.isEmpty() ? 0 : ticks.get(ticks.size() - 1).atMillis());
        wall = (double) to - from;
        minutes = (to - from + MINUTE - 1) / MINUTE;
        double[] byMinute = new double[(int) Math.max(1, minutes)];
        for (GcEvent it : timeline.collections()) {
            if (it.kind().isPause() && it.atMillis() >= from && it.atMillis() <= to) {
                int minute = (int) ((it.atMillis() - from) / MINUTE);
                byMinute[Math.min(minute, byMinute.length - 1)] += it.durationMillis();
                pauses++;
                pauseMillis += it.durationMillis();
                longestPauseMillis = Math.max(longestPauseMillis, it.durationMillis());
            }
        }
        for (double each : byMinute) {
            minutesOver += each > slo.pauseMillisPerMinute() + ROUNDING_MILLIS ? 1 : 0;
            worstMinuteMillis = Math.max(worstMinuteMillis, each);
        }
    }

    /** The share of the time that was left to the application. */
    double throughput() {
        return wall == 0 ? 1 : Math.max(0, 1 - pauseMillis / wall);
    }

    boolean meetsPauses() {
        return longestPauseMillis <= slo.pauseMaxMillis() + ROUNDING_MILLIS;
    }

    boolean meetsThroughput() {
        return pauseMillis <= wall * (1 - slo.throughputMin()) + ROUNDING_MILLIS;
    }

    /** Whether all objectives were met, also in each minute. */
    boolean isMet() {
        return meetsPauses() && meetsThroughput() && minutesOver == 0;
    }
}
