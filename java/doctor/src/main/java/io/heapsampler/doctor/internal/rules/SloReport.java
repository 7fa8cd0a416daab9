// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Timeline;
import java.util.Arrays;
import java.util.List;

/**
 * The cost of collections, compared with the objectives. It has three independent axes: latency
 * (the longest pause), throughput (the share of time left to the application) and capacity (the
 * memory of heap and process).
 *
 * <p>Only {@linkplain CollectionKind#isPause() pauses} count: the duration of a concurrent cycle is
 * no loss of time. The JVM reports durations in whole milliseconds, cut off at both ends. Sums are
 * right on average, and a single duration is right to ±1 ms. If pauses are shorter than that, as in
 * ZGC, use {@link #safepointMillis()}.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param slo the objectives
 * @param fromMillis the beginning of the period, milliseconds since 1970
 * @param toMillis its end
 * @param pauses the number of pauses that began in the period
 * @param pauseMillis their total duration
 * @param longestPauseMillis the longest one; 0 if there was none
 * @param throughput the share of the time left to the application, from 0 to 1; 1 if no time passed
 * @param minutes the minutes of the period; the last one can be incomplete
 * @param minutesOver those in which pauses took more than {@link Slo#pauseMillisPerMinute()}
 * @param worstMinuteMillis the pauses of the worst minute together
 * @param safepointMillis how long the application was paused at all safepoints, including those
 *     that are not for collections; −1 if the JVM does not report it
 * @param heapCommittedMax the maximum committed heap, in bytes; −1 if there was no tick
 * @param residentMax the maximum resident memory, in bytes; −1 if it is not known
 */
public record SloReport(
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
        double safepointMillis,
        long heapCommittedMax,
        long residentMax) {

    private static final long MINUTE = 60_000;

    /** Binary fractions do not meet 6.0 ms; a nanosecond more is not more. */
    private static final double ROUNDING_MILLIS = 1e-6;

    /**
     * Measures a timeline from its first tick, or since when no collection is missing, to the last.
     *
     * @param timeline the timeline
     * @param slo the objectives
     * @return the figures; without pauses and time if there are no two ticks
     */
    public static SloReport of(Timeline timeline, Slo slo) {
        List<Tick> ticks = timeline.ticks();
        if (ticks.isEmpty()) {
            return new SloReport(slo, 0, 0, 0, 0, 0, 1, 0, 0, 0, -1, -1, -1);
        }
        long from = Math.max(ticks.get(0).atMillis(), timeline.completeFromMillis());
        long to = Math.max(from, ticks.get(ticks.size() - 1).atMillis());
        Pauses pauses = new Pauses(from, to);
        timeline.collections().forEach(pauses::add);
        return new SloReport(
                slo,
                from,
                to,
                pauses.count,
                pauses.millis,
                pauses.longest,
                throughput(pauses.millis, (double) (to - from)),
                minutes(from, to),
                pauses.minutesOver(slo),
                Arrays.stream(pauses.byMinute).max().orElse(0),
                safepoints(ticks, from),
                ticks.stream().mapToLong(Tick::heapCommitted).max().orElse(-1),
                ticks.stream().mapToLong(Tick::resident).max().orElse(-1));
    }

    private static long minutes(long from, long to) {
        return (to - from + MINUTE - 1) / MINUTE;
    }

    /** The pauses of a time, summed up. */
    private static final class Pauses {
        final long from;
        final long to;
        final double[] byMinute;
        long count;
        double millis;
        double longest;

        Pauses(long from, long to) {
            this.from = from;
            this.to = to;
            this.byMinute = new double[(int) Math.max(1, minutes(from, to))];
        }

        void add(GcEvent it) {
            if (it.kind().isPause() && it.atMillis() >= from && it.atMillis() <= to) {
                int minute = (int) ((it.atMillis() - from) / MINUTE);
                byMinute[Math.min(minute, byMinute.length - 1)] += it.durationMillis();
                count++;
                millis += it.durationMillis();
                longest = Math.max(longest, it.durationMillis());
            }
        }

        long minutesOver(Slo slo) {
            double most = slo.pauseMillisPerMinute() + ROUNDING_MILLIS;
            return Arrays.stream(byMinute).filter(each -> each > most).count();
        }
    }

    /** 1 min of pauses in 100 min leaves 99 %. */
    static double throughput(double pauseMillis, double wallMillis) {
        return wallMillis <= 0 ? 1 : Math.max(0, 1 - pauseMillis / wallMillis);
    }

    private static double safepoints(List<Tick> ticks, long from) {
        double first = -1;
        for (Tick tick : ticks) {
            if (tick.atMillis() >= from && tick.safepointMillis() >= 0) {
                first = first < 0 ? tick.safepointMillis() : first;
            }
        }
        double last = ticks.get(ticks.size() - 1).safepointMillis();
        return first < 0 || last < 0 ? -1 : last - first;
    }

    /**
     * Returns whether no pause was longer than allowed.
     *
     * @return true if the longest is at most {@link Slo#pauseMaxMillis()}
     */
    public boolean meetsPauses() {
        return longestPauseMillis <= slo.pauseMaxMillis() + ROUNDING_MILLIS;
    }

    /**
     * Returns whether enough time was left to the application.
     *
     * @return true if it is at least {@link Slo#throughputMin()}
     */
    public boolean meetsThroughput() {
        double wall = (double) toMillis - fromMillis;
        return pauseMillis <= wall * (1 - slo.throughputMin()) + ROUNDING_MILLIS;
    }

    /**
     * Returns whether all objectives were met, also in each minute.
     *
     * @return true if no objective was missed
     */
    public boolean isMet() {
        return meetsPauses() && meetsThroughput() && minutesOver == 0;
    }
}
