// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Trend;
import java.util.List;

/**
 * The growth of direct memory since it last fell. A collection frees the buffers that are garbage,
 * so buffers that are there after several collections are kept.
 *
 * @param trend the used bytes at each tick
 * @param from when the growth began, milliseconds since 1970
 * @param to the last tick
 * @param collections how many collections took place meanwhile
 */
record DirectRise(Trend trend, long from, long to, int collections) {

    private static final int LEAST_TICKS = 5;
    private static final long LEAST_MILLIS = 5_000;
    private static final long LONG_MILLIS = 120_000;
    private static final double RISING = 0.9;

    /** It goes on if the later half adds this share of what a straight line would. */
    private static final double GOES_ON = 0.4;

    /** A rise by less may be a pool of buffers that is being filled. */
    private static final double MUCH_OF_LIMIT = 0.125;

    /** It has fallen where it is lower than it was by this share. */
    private static final double FALL = 0.9;

    /** After this number of collections, buffers that are still there are kept. */
    private static final int SEVERAL = 3;

    /** A limit that is farther away than this is no concern yet. */
    private static final double SOON_MILLIS = 600_000;

    static DirectRise of(Situation s) {
        List<Tick> ticks = s.timeline().ticks();
        int first = 0;
        long most = 0;
        for (int i = 0; i < ticks.size(); i++) {
            long used = ticks.get(i).directUsed();
            if (used < FALL * most) {
                first = i;
                most = 0;
            }
            most = Math.max(most, used);
        }
        List<Tick> rising = ticks.subList(first, ticks.size());
        long from = rising.get(0).atMillis();
        int collections = 0;
        for (GcEvent c : s.timeline().collections()) {
            collections += c.atMillis() > from && c.kind() != CollectionKind.PHASE_PAUSE ? 1 : 0;
        }
        double[] used = rising.stream().mapToDouble(Tick::directUsed).toArray();
        return new DirectRise(
                Trend.over(rising, used),
                from,
                rising.get(rising.size() - 1).atMillis(),
                collections);
    }

    /** Does it rise all the time, by much, and towards a limit that is near? */
    boolean isSteady(long limit) {
        return trend.count() >= LEAST_TICKS
                && to - from >= LEAST_MILLIS
                && trend.correlation() >= RISING
                && trend.rise() >= MUCH_OF_LIMIT * limit
                && trend.recent().rise() >= GOES_ON * trend.rise() / 2
                && millisUntil(limit) <= SOON_MILLIS;
    }

    boolean isKept() {
        return collections >= SEVERAL;
    }

    boolean isLong() {
        return to - from >= LONG_MILLIS;
    }

    private double millisUntil(long limit) {
        double perMilli = trend.rise() / Math.max(to - from, 1);
        return perMilli <= 0
                ? Double.POSITIVE_INFINITY
                : Math.max(limit - trend.last(), 0) / perMilli;
    }

    /** Such as {@code 60 MiB in 5 s, and reach the limit in about 16 s at this rate. …} */
    String text(long limit) {
        return Text.bytes(trend.rise())
                + " in "
                + Text.span((double) to - from)
                + ", and reach the limit in about "
                + Text.span(millisUntil(limit))
                + " at this rate. "
                + (isKept()
                        ? Text.count(collections, "collection", "collections")
                                + " did not free them."
                        : "Too few collections have taken place to know whether they are garbage.");
    }
}
