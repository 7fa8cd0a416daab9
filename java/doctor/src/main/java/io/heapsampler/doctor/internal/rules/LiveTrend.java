// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.OldCollection;
import io.heapsampler.doctor.internal.timeline.Trend;
import java.util.Arrays;
import java.util.List;

/**
 * How what is live after collections of the old generation has gone, over the whole timeline.
 *
 * @param after bytes after each
 * @param from when the first began, milliseconds since 1970; 0 if there was none
 * @param to when the last was over
 */
record LiveTrend(Trend after, long from, long to) {

    /** Fewer collections of the old generation tell no growth. */
    static final int LEAST = 4;

    private static final double MILLIS_PER_SECOND = 1000;

    /** More collections than that are put together. */
    private static final int PIECES = 48;

    /** Of all pairs so many more rise than fall. */
    private static final double RISING = 0.6;

    private static final double STILL_RISING = 0.3;

    /** By so much of what is live in the end. */
    private static final double LEAST_RISE = 0.15;

    /** The later half must add so much of what all of it would, were it a straight line. */
    private static final double GOES_ON = 0.4;

    static LiveTrend of(Situation s) {
        return of(OldCollection.of(s.timeline()));
    }

    /** Of the collections that were within a time. */
    static LiveTrend within(Situation s, long from, long to) {
        return of(
                OldCollection.of(s.timeline()).stream()
                        .filter(old -> old.at() >= from && old.end() <= to)
                        .toList());
    }

    private static LiveTrend of(List<OldCollection> olds) {
        double[] after =
                olds.size() <= PIECES
                        ? olds.stream().mapToDouble(OldCollection::after).toArray()
                        : evenly(olds);
        return new LiveTrend(
                Trend.of(after),
                olds.isEmpty() ? 0 : olds.get(0).at(),
                olds.isEmpty() ? 0 : olds.get(olds.size() - 1).end());
    }

    /**
     * The least of each piece of the time: collections come thick and fast when the heap is full,
     * and would hide how it became so.
     */
    private static double[] evenly(List<OldCollection> olds) {
        long from = olds.get(0).at();
        long span = Math.max(olds.get(olds.size() - 1).at() - from, 1);
        double[] least = new double[PIECES];
        Arrays.fill(least, Double.POSITIVE_INFINITY);
        for (OldCollection old : olds) {
            int piece = (int) Math.min(PIECES * (old.at() - from) / span, PIECES - 1);
            least[piece] = Math.min(least[piece], (double) old.after());
        }
        return Arrays.stream(least).filter(Double::isFinite).toArray();
    }

    /** Has it risen from the beginning, and does it still? */
    boolean isRising() {
        return after.count() >= LEAST
                && after.correlation() >= RISING
                && after.rise() >= LEAST_RISE * after.last()
                && after.recent().correlation() >= STILL_RISING
                && after.recent().rise() >= GOES_ON * after.rise() / 2;
    }

    /**
     * Bytes per second from the first collection to the last; not a number if there are too few.
     */
    double perSecond() {
        return after.count() < LEAST
                ? Double.NaN
                : after.rise() / Math.max(to - from, 1) * MILLIS_PER_SECOND;
    }

    /** Milliseconds until so much is live, if it goes on so; infinite if it does not rise. */
    double millisUntil(double bytes) {
        double perMilli = after.rise() / Math.max(to - from, 1);
        return perMilli <= 0
                ? Double.POSITIVE_INFINITY
                : Math.max(bytes - after.last(), 0) / perMilli;
    }

    String text() {
        if (after.count() < LEAST) {
            return "Whether what is live grows takes "
                    + LEAST
                    + " collections of the old generation; there were "
                    + after.count()
                    + ".";
        }
        String way =
                isRising()
                        ? " rises: by about " + Text.bytes(after.rise())
                        : " does not go on rising: about " + Text.bytes(after.median());
        return "What is live after collections of the old generation"
                + way
                + " over "
                + Text.count(after.count(), "of them", "of them")
                + ".";
    }
}
