// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether the live set grows. The time is divided into equal pieces. In each the least counts that
 * a collection left, or that was in use if there was no collection: an upper bound. Derivations:
 * {@code doc/thresholds.md}.
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

    private static final int LEAST_PIECES = 4; // In fewer there is no growth to see.
    private static final int PIECES = 48;
    private static final int PARTS = 4; // The later half, and the later quarter.
    static final long LONG_MILLIS = 96_000; // A cache of 80 s looks like growth for 1.2 × 80.
    private static final long LEAST_PIECE_MILLIS = 500;
    private static final double RISING = 0.6; // Surplus of rising pairs over falling ones.
    private static final double STILL_RISING = 0.3; // The same of the later half.
    private static final double LEAST_OF_LIVE = 0.15; // The least rise: of the live set,
    static final double LEAST_OF_HEAP = 0.05; // or of the heap if that is less.
    static final double GOES_ON = 0.4; // The later half adds this part of its share.
    private static final double STAYS_FULL = 0.8;

    /** A leak would have filled the rest of the heap this many times. */
    private static final double STOPPED = 1.5;

    private static final double MORE = 0.01; // Of the heap: differences are less.
    private static final double WASTE = 0.05; // Of the heap: collections may leave it unused.

    /** Looks at the whole timeline, and at its later half and quarter where the whole is flat. */
    static LiveTrend of(Situation s) {
        LiveTrend found = found(s);
        return found.isFull && found.isRising && found.hasStopped(s)
                ? new LiveTrend(found.trend, found.from, found.to, found.collections, true, false)
                : found;
    }

    /**
     * Did the application allocate enough in the full heap to end by a leak, and is there room
     * left, since the last time that more was live than ever before? A cache that was filled and
     * now replaces its entries allocates as before, and adds nothing. Where no room is left, the
     * two look alike.
     */
    private boolean hasStopped(Situation s) {
        double heap = s.settings().maxHeap();
        High high = high(s);
        double before = s.allocatedBetween(from + (long) trend.begin(), end());
        GcEvent vain = lastVain(s);
        boolean wasFilled =
                !hasRoom(s)
                        || high.bytes() >= (1 - WASTE) * heap
                        || (vain != null && vain.atMillis() >= from);
        double grown = trend.rise() * s.allocatedBetween(high.at(), to) / before;
        double room = heap - trend.last(); // The young generation too.
        return !wasFilled && before > 0 && grown >= STOPPED * room;
    }

    private long end() {
        return from + (long) trend.end();
    }

    /** When more was live than ever before. */
    private record High(double bytes, long at) {
        High or(double other, long time, double more) {
            return time > at && other > bytes + more ? new High(other, time) : this;
        }
    }

    /** For the last time, from the end of the trend on. */
    private High high(Situation s) {
        double more = MORE * s.settings().maxHeap();
        High high = new High(trend.last(), end());
        for (LiveSet.Point point : LiveSet.of(s.timeline()).points()) {
            high = high.or((double) point.bytes(), point.at(), more);
        }
        for (GcEvent c : s.timeline().collections()) { // Live objects may be young.
            boolean isWhole = c.kind() == CollectionKind.FULL_PAUSE;
            high = isWhole ? high.or((double) c.heapAfter(), c.endMillis(), more) : high;
        }
        return high;
    }

    /**
     * Did the last collection of the old generation leave any in the whole heap? Parallel cannot
     * use all of the young generation: there, a second full pause in vain shows it.
     */
    static boolean hasRoom(Situation s) {
        List<GcEvent> all = s.timeline().collections();
        double left = 0;
        for (GcEvent c : all) {
            left = c.kind().isOld() ? (double) c.heapAfter() : left;
        }
        GcEvent vain = lastVain(s);
        boolean isVain = vain != null && vain.equals(all.get(all.size() - 1));
        return !isVain && left < (1 - WASTE) * s.settings().maxHeap();
    }

    /** The last full pause for space that freed little, with another one just before it. */
    private static @Nullable GcEvent lastVain(Situation s) {
        double heap = (double) s.settings().maxHeap();
        GcEvent last = null;
        boolean isAgain = false; // Without a young one since the last full one: no room.
        for (GcEvent c : s.timeline().collections()) {
            boolean isFull = c.kind() == CollectionKind.FULL_PAUSE;
            boolean isVain = c.heapBefore() - c.heapAfter() < WASTE * heap;
            last = isAgain && isFull && isVain && Causes.isForSpace(c.cause()) ? c : last;
            isAgain = isFull;
        }
        return last;
    }

    /** Have the last two full pauses for space of this minute left the heap nearly full? */
    static boolean isAgainInVain(Situation s) {
        double heap = (double) s.settings().maxHeap();
        int inVain = 0;
        for (GcEvent c : s.recent()) {
            boolean isNow = s.to() - c.atMillis() <= Situation.MINUTE_MILLIS;
            if (isNow && c.kind() == CollectionKind.FULL_PAUSE && Causes.isForSpace(c.cause())) {
                boolean isVain =
                        c.heapBefore() - c.heapAfter() < WASTE * heap
                                && s.settings().isNearlyFull((double) c.oldAfter());
                inVain = isVain ? inVain + 1 : 0;
            }
        }
        return inVain >= 2;
    }

    private static LiveTrend found(Situation s) {
        long first = s.timeline().ticks().isEmpty() ? 0 : s.timeline().ticks().get(0).atMillis();
        LiveSet live = LiveSet.of(s.timeline());
        LiveTrend whole = within(s, live, first, live.lastUntil(Long.MAX_VALUE));
        if (whole.isRising || live.isEmpty() || s.maxOld() <= 0) {
            return whole;
        }
        // However long ago that was, and however late: what counts is how the heap became full.
        long full = whole.isFull ? whole.to : 0;
        for (int i = live.points().size() - 1; i >= 0; i--) {
            LiveSet.Point point = live.points().get(i);
            if (point.bytes() < STAYS_FULL * s.maxOld()) {
                break;
            }
            full = s.settings().isNearlyFull((double) point.bytes()) ? point.at() : full;
        }
        if (full == 0) {
            return whole;
        }
        LiveTrend until = within(s, live, first, full);
        return until.isRising && until.trend.span() >= LONG_MILLIS
                ? new LiveTrend(until.trend, until.from, whole.to, whole.collections, true, true)
                : whole;
    }

    /** Looks at a part of the time, and at the last half of it, and so on, if that is flat. */
    private static LiveTrend within(Situation s, LiveSet live, long first, long to) {
        LiveTrend whole = new Pieces(s, live, first, to).trend();
        for (int part = 2; part < PIECES && !whole.isRising && !live.isEmpty(); part *= 2) {
            long from = whole.to - (whole.to - first) / part;
            if (part > PARTS && whole.to - from < LONG_MILLIS) {
                break;
            }
            LiveTrend later = new Pieces(s, live, from, whole.to).trend();
            if (later.isRising && later.trend.median() > most(s, live, first, from)) {
                return later;
            }
        }
        return whole;
    }

    /** Returns the bytes that are live: when the heap is full, the trend ends before. */
    double last(Situation s) {
        List<LiveSet.Point> points = LiveSet.of(s.timeline()).points();
        return isFull && !points.isEmpty()
                ? (double) points.get(points.size() - 1).bytes()
                : trend.last();
    }

    /** Looks at a part of the time. */
    static LiveTrend within(Situation s, long from, long to) {
        LiveSet live = LiveSet.of(s.timeline());
        return new Pieces(s, live, from, live.lastUntil(to)).trend();
    }

    /** The most that collections left; where they are forgotten, the most that was in use. */
    private static double most(Situation s, LiveSet live, long from, long to) {
        long known = Math.max(live.lastUntil(to), Math.min(to, live.since()));
        Pieces before = new Pieces(s, live, from, known);
        double most = 0;
        for (int i = 0; i < PIECES; i++) {
            boolean counts = before.isCollected[i] || before.isForgotten(i);
            most = counts && before.isKnown(i) ? Math.max(most, before.least[i]) : most;
        }
        return most;
    }

    /** Returns whether it is seen in less than the last quarter of all the time. */
    boolean isLate(Situation s) {
        long first = s.timeline().ticks().get(0).atMillis();
        return (to - from) * (PARTS + 1) < to - first;
    }

    /**
     * At how many different times the live set is known. Full collections show that of each earlier
     * time to within the bytes that they freed: objects of the old generation that are alive now
     * have been alive since they came there. The number is the rise over those bytes.
     */
    double timesKnown(Situation s) {
        double freed = 0;
        boolean isWhole = false;
        for (OldCollection old : OldCollection.of(s.timeline())) {
            if (old.at() >= from && old.at() <= to) {
                isWhole = old.kind() == CollectionKind.FULL_PAUSE;
                freed += isWhole ? old.freed() : Double.POSITIVE_INFINITY;
            }
        }
        return isWhole ? Math.max(collections, trend.rise() / Math.max(freed, 1)) : collections;
    }

    /**
     * How long the growth has lasted since a time. When the old generation is full, a leak goes on
     * in the young one.
     */
    double millisSince(Situation s, long millis) {
        High high = high(s);
        double first = Double.NaN; // What the first full pause leaves after the trend.
        for (GcEvent c : s.timeline().collections()) {
            boolean isFirst = c.kind() == CollectionKind.FULL_PAUSE && c.endMillis() > end();
            first = isFirst && Double.isNaN(first) ? (double) c.heapAfter() : first;
        }
        boolean goesOn = high.bytes() >= first + LEAST_OF_HEAP * s.settings().maxHeap();
        double end = goesOn ? (double) high.at() : from + trend.end();
        return Math.min(end - (from + trend.begin()), end - millis);
    }

    /** Returns whether the last quarter of the time still adds its part. */
    boolean goesOnNow() {
        return trend.recent().recent().rise() >= GOES_ON * trend.rise() / 4;
    }

    /** Returns bytes per second; not a number if there are too few pieces. */
    double perSecond() {
        return trend.count() < LEAST_PIECES
                ? Double.NaN
                : trend.rise() / Math.max(trend.span(), 1) * 1000;
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
        double known = (double) to - from;
        if (trend.count() < LEAST_PIECES) {
            String text = "The live set is known for {} only: too short to see growth.";
            return Text.of(text, Text.span(known));
        }
        String grew =
                isRising ? "The live set grew by" : "The live set does not go on growing: about";
        String bytes = Text.bytes(isRising ? trend.rise() : trend.median());
        String span = Text.span(isRising ? trend.span() : known);
        String count = Text.count(collections, "collection", "collections");
        String text = "{} {} in {}, by {} of the old generation at different times.";
        return Text.of(text, grew, bytes, span, count);
    }

    /** The least of each piece of a time. Pieces of which nothing is known are left out. */
    private static final class Pieces {
        private final JvmSettings settings;
        private final double capacity;
        private final boolean hasRoom;
        private final long from;
        private final long since;
        private final double width;
        private final double[] least = new double[PIECES];
        private final double[] at = new double[PIECES];
        private final boolean[] isCollected = new boolean[PIECES];
        private long lastCollection;

        Pieces(Situation s, LiveSet live, long from, long last) {
            this.settings = s.settings();
            this.capacity = s.maxOld();
            this.hasRoom = hasRoom(s);
            this.from = from;
            this.since = live.since();
            this.width = Math.max((last - from) / (double) PIECES, LEAST_PIECE_MILLIS);
            Arrays.fill(least, Double.POSITIVE_INFINITY);
            for (LiveSet.Point point : live.points()) {
                if (point.at() >= from && point.at() <= last) {
                    add(point.at(), (double) point.bytes());
                    isCollected[index(point.at())] = true;
                    lastCollection = point.at();
                }
            }
            // Its young generation is not bounded, and may hold most of the live objects.
            boolean isZ = s.settings().collector() == GarbageCollector.Z_GENERATIONAL;
            for (Tick tick : s.timeline().ticks()) {
                long time = tick.atMillis();
                boolean isWithin = time >= from && time <= last && tick.oldUsed() > 0;
                if (isWithin && !isCollected[index(time)]) {
                    add(time, (double) (isZ ? tick.heapUsed() : tick.oldUsed()));
                }
            }
            bound();
        }

        private int index(long time) {
            return (int) Math.min((time - from) / width, PIECES - 1.0);
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
                if (isKnown(i) && !isForgotten(i)) {
                    least[i] = Math.min(least[i], next);
                }
            }
        }

        boolean isKnown(int index) {
            return least[index] < Double.POSITIVE_INFINITY;
        }

        boolean isForgotten(int index) {
            return from + (index + 1) * width <= since;
        }

        LiveTrend trend() {
            int[] known = new int[PIECES];
            int count = 0;
            int collections = 0;
            for (int i = 0; i < PIECES; i++) {
                known[count] = i;
                count += isKnown(i) ? 1 : 0;
                collections += isCollected[i] ? 1 : 0;
            }
            double last = count == 0 ? 0 : least[known[count - 1]];
            boolean isFull = settings.isNearlyFull(last);
            // Once the heap is full nothing can rise: what counts is how it became so.
            int end = count;
            while (isFull && end > 1 && least[known[end - 2]] >= STAYS_FULL * capacity) {
                end--;
            }
            Trend judged = trend(known, end);
            return new LiveTrend(
                    judged.count() >= LEAST_PIECES ? judged : trend(known, count),
                    collections == 0 ? 0 : from,
                    lastCollection,
                    collections,
                    isFull,
                    collections > 0 && isRising(judged, isFull && !hasRoom));
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

        /** What has filled the whole heap went on to the end. */
        private boolean isRising(Trend trend, boolean hasFilledAll) {
            double ofHeap = capacity > 0 ? LEAST_OF_HEAP * capacity : Double.POSITIVE_INFINITY;
            Trend recent = trend.recent();
            return trend.count() >= LEAST_PIECES
                    && trend.correlation() >= RISING
                    && trend.rise() >= Math.min(LEAST_OF_LIVE * trend.last(), ofHeap)
                    && (hasFilledAll
                            || (recent.correlation() >= STILL_RISING
                                    && recent.rise() >= GOES_ON * trend.rise() / 2));
        }
    }
}
