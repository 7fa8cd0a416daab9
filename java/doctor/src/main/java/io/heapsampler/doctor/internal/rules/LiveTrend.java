// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.LiveSet;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Trend;
import java.util.Arrays;

/**
 * Whether the live set grows.
 *
 * <p>A collection that looked for garbage in the old generation leaves the live set, or little
 * more. At every other moment the used bytes are an upper bound of it. So where a collection leaves
 * more than was in use at an earlier moment, the live set has grown by the difference at least. The
 * time is divided into equal pieces. In each the least counts that a collection left, or that was
 * in use if there was no collection. Several collections within a moment, as in a full heap,
 * therefore count once.
 *
 * @param trend the bytes of each piece
 * @param from when the first piece begins, milliseconds since 1970; 0 if there is none
 * @param to when the last collection was over
 * @param collections how many pieces have a collection
 * @param isFull whether the last collection left a heap that is nearly full
 * @param isRising whether the live set has grown, and goes on growing as far as there is room
 */
record LiveTrend(
        Trend trend, long from, long to, int collections, boolean isFull, boolean isRising) {

    /** In fewer pieces of time there is no growth to see. */
    private static final int LEAST_PIECES = 4;

    private static final int PIECES = 48;
    private static final long LEAST_PIECE_MILLIS = 500;

    /** The surplus of the pairs that rise over those that fall, as a share of all. */
    private static final double RISING = 0.6;

    private static final double STILL_RISING = 0.3;

    /** The least rise: a share of the live set at the end, or of the heap if that is less. */
    private static final double LEAST_OF_LIVE = 0.15;

    static final double LEAST_OF_HEAP = 0.05;

    /** The later half must add this share of what a straight line would add there. */
    private static final double GOES_ON = 0.4;

    /** A live set of this share of the heap has little room to grow further. */
    static final double NEARLY_FULL = 0.85;

    /** It stays nearly full while it does not fall below this. */
    private static final double STAYS_FULL = 0.8;

    private static final double MILLIS_PER_SECOND = 1000;

    /** Looks at the whole timeline, and at its later half and quarter where the whole is flat. */
    static LiveTrend of(Situation s) {
        long first = s.timeline().ticks().isEmpty() ? 0 : s.timeline().ticks().get(0).atMillis();
        LiveSet live = LiveSet.of(s.timeline());
        LiveTrend whole = Pieces.of(s, live, first, Long.MAX_VALUE).trend();
        if (whole.isRising || live.isEmpty()) {
            return whole;
        }
        for (int part = 2; part <= 4; part *= 2) {
            long from = whole.to - (whole.to - first) / part;
            LiveTrend later = Pieces.of(s, live, from, Long.MAX_VALUE).trend();
            if (later.isRising && later.trend.median() > Pieces.most(s, live, first, from)) {
                return later;
            }
        }
        return whole;
    }

    /** Looks at a part of the time. */
    static LiveTrend within(Situation s, long from, long to) {
        return Pieces.of(s, LiveSet.of(s.timeline()), from, to).trend();
    }

    /** Returns whether the last quarter of the time still adds its part. */
    boolean goesOnNow() {
        return trend.recent().recent().rise() >= GOES_ON * trend.rise() / 4;
    }

    /** Returns bytes per second; not a number if there are too few pieces. */
    double perSecond() {
        return trend.count() < LEAST_PIECES
                ? Double.NaN
                : trend.rise() / Math.max(trend.span(), 1) * MILLIS_PER_SECOND;
    }

    /** Milliseconds until this much is live at the present rate; infinite if it does not rise. */
    double millisUntil(double bytes) {
        Trend recent = trend.recent();
        double perMilli = recent.rise() / Math.max(recent.span(), 1);
        return perMilli <= 0
                ? Double.POSITIVE_INFINITY
                : Math.max(bytes - trend.last(), 0) / perMilli;
    }

    String text() {
        if (collections == 0) {
            return "No collection has looked for garbage in the old generation yet, so the size of"
                    + " the live set is not known.";
        }
        if (trend.count() < LEAST_PIECES) {
            return "The live set is known for "
                    + Text.span((double) to - from)
                    + " only: too short to see growth.";
        }
        return (isRising
                        ? "The live set grew by "
                                + Text.bytes(trend.rise())
                                + " in "
                                + Text.span(trend.span())
                        : "The live set does not go on growing: about "
                                + Text.bytes(trend.median())
                                + " in "
                                + Text.span((double) to - from))
                + ", by "
                + Text.count(collections, "collection", "collections")
                + " of the old generation at different times.";
    }

    /** The least of each piece of a time. Pieces of which nothing is known are left out. */
    private static final class Pieces {
        private final double capacity;
        private final long from;
        private final long since;
        private final double width;
        private final double[] least = new double[PIECES];
        private final double[] at = new double[PIECES];
        private final boolean[] isCollected = new boolean[PIECES];
        private long lastCollection;

        private Pieces(double capacity, long from, long to, long since) {
            this.capacity = capacity;
            this.from = from;
            this.since = since;
            this.width = Math.max((to - from) / (double) PIECES, LEAST_PIECE_MILLIS);
            Arrays.fill(least, Double.POSITIVE_INFINITY);
        }

        static Pieces of(Situation s, LiveSet live, long from, long to) {
            return upTo(s, live, from, live.lastUntil(to));
        }

        private static Pieces upTo(Situation s, LiveSet live, long from, long last) {
            Pieces pieces = new Pieces(capacity(s), from, last, live.since());
            for (LiveSet.Point point : live.points()) {
                if (point.at() >= from && point.at() <= last) {
                    pieces.add(point.at(), (double) point.bytes());
                    pieces.isCollected[pieces.index(point.at())] = true;
                    pieces.lastCollection = point.at();
                }
            }
            for (Tick tick : s.timeline().ticks()) {
                long at = tick.atMillis();
                if (at >= from
                        && at <= last
                        && tick.oldUsed() > 0
                        && !pieces.isCollected[pieces.index(at)]) {
                    pieces.add(at, (double) tick.oldUsed());
                }
            }
            pieces.bound();
            return pieces;
        }

        /**
         * The most that collections left before a time; where they are forgotten, the most that was
         * in use.
         */
        static double most(Situation s, LiveSet live, long from, long to) {
            double most = 0;
            long known = Math.max(live.lastUntil(to), Math.min(to, live.since()));
            Pieces before = upTo(s, live, from, known);
            for (int i = 0; i < PIECES; i++) {
                boolean counts = before.isCollected[i] || before.isForgotten(i);
                most =
                        counts && Double.isFinite(before.least[i])
                                ? Math.max(most, before.least[i])
                                : most;
            }
            return most;
        }

        private static double capacity(Situation s) {
            long young = s.hasGenerations() ? Math.max(s.settings().maxYoung(), 0) : 0;
            return (double) s.settings().maxHeap() - young;
        }

        private int index(long at) {
            return (int) Math.min((at - from) / width, PIECES - 1.0);
        }

        private void add(long time, double bytes) {
            int index = index(time);
            if (bytes < least[index]) {
                least[index] = bytes;
                at[index] = (double) time - from;
            }
        }

        /**
         * Where no collection was, what was in use may be garbage: no more counts than the next one
         * left. Not so where the collections are forgotten: then the live set may have been larger.
         */
        private void bound() {
            double next = Double.POSITIVE_INFINITY;
            for (int i = PIECES - 1; i >= 0; i--) {
                next = isCollected[i] ? least[i] : next;
                if (Double.isFinite(least[i]) && !isForgotten(i)) {
                    least[i] = Math.min(least[i], next);
                }
            }
        }

        private boolean isForgotten(int index) {
            return from + (index + 1) * width <= since;
        }

        LiveTrend trend() {
            int[] known = known();
            double last = known.length == 0 ? 0 : least[known[known.length - 1]];
            boolean isFull = capacity > 0 && last >= NEARLY_FULL * capacity;
            int end = isFull ? untilFull(known) : known.length;
            Trend all = trend(known, known.length);
            Trend judged = end == known.length ? all : trend(known, end);
            int collections = 0;
            for (int each : known) {
                collections += isCollected[each] ? 1 : 0;
            }
            return new LiveTrend(
                    judged.count() >= LEAST_PIECES ? judged : all,
                    collections == 0 ? 0 : from,
                    lastCollection,
                    collections,
                    isFull,
                    collections > 0 && isRising(judged));
        }

        private int[] known() {
            int[] known = new int[PIECES];
            int count = 0;
            for (int i = 0; i < PIECES; i++) {
                if (Double.isFinite(least[i])) {
                    known[count++] = i;
                }
            }
            return Arrays.copyOf(known, count);
        }

        /** Once the heap is full nothing can rise: what counts is how it became so. */
        private int untilFull(int[] known) {
            int end = known.length;
            while (end > 1 && least[known[end - 2]] >= STAYS_FULL * capacity) {
                end--;
            }
            return end;
        }

        private Trend trend(int[] known, int end) {
            double[] times = new double[end];
            double[] bytes = new double[end];
            for (int i = 0; i < end; i++) {
                times[i] = at[known[i]];
                bytes[i] = least[known[i]];
            }
            return Trend.at(times, bytes);
        }

        private boolean isRising(Trend trend) {
            double least =
                    Math.min(
                            LEAST_OF_LIVE * trend.last(),
                            capacity > 0 ? LEAST_OF_HEAP * capacity : Double.POSITIVE_INFINITY);
            return trend.count() >= LEAST_PIECES
                    && trend.correlation() >= RISING
                    && trend.rise() >= least
                    && trend.recent().correlation() >= STILL_RISING
                    && trend.recent().rise() >= GOES_ON * trend.rise() / 2;
        }
    }
}
