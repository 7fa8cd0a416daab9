// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Whether the live set grows. The time is divided into equal pieces. In each the least counts that
 * a collection left, or that was in use if there was no collection: an upper bound. Derivations:
 * {@code doc/thresholds.md}.
 */
final class LiveTrend {

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

    private final Situation s;

    /** When the first piece begins, and how long each is, in milliseconds. */
    final long from;

    private final double width;

    // Of each piece: the least bytes, when they were seen, and whether it has a collection.
    private final double[] least = new double[PIECES];
    private final double[] at = new double[PIECES];
    private final boolean[] isCollected = new boolean[PIECES];

    /** The bytes of each piece of which something is known. */
    final Trend trend;

    /** When the last collection was over; 0 if there was none. */
    long to;

    /** How many pieces have a collection. */
    int collections;

    /** Whether the last collection left a heap that is nearly full. */
    boolean isFull;

    /** Whether the live set has grown, and goes on growing as far as there is room. */
    boolean isRising;

    /** Looks at a part of the time. */
    private LiveTrend(Situation s, long from, long last) {
        this.s = s;
        this.from = from;
        this.width = Math.max((last - from) / (double) PIECES, LEAST_PIECE_MILLIS);
        Arrays.fill(least, Double.POSITIVE_INFINITY);
        for (LiveSet.Point point : s.live().points()) {
            if (point.at() >= from && point.at() <= last) {
                add(point.at(), (double) point.bytes());
                isCollected[index(point.at())] = true;
                to = point.at();
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
        int[] known = IntStream.range(0, PIECES).filter(this::isKnown).toArray();
        collections = (int) IntStream.range(0, PIECES).filter(i -> isCollected[i]).count();
        int end = known.length;
        isFull = s.settings().isNearlyFull(end == 0 ? 0 : least[known[end - 1]]);
        // Once the heap is full nothing can rise: what counts is how it became so.
        while (isFull && end > 1 && least[known[end - 2]] >= STAYS_FULL * s.maxOld()) {
            end--;
        }
        trend = trend(known, end < LEAST_PIECES ? known.length : end);
        isRising = collections > 0 && end >= LEAST_PIECES && isRising(isFull && !hasRoom());
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

    private boolean isKnown(int index) {
        return least[index] < Double.POSITIVE_INFINITY;
    }

    private boolean isForgotten(int index) {
        return from + (index + 1) * width <= s.live().since();
    }

    private Trend trend(int[] known, int end) {
        return Trend.at(
                Arrays.stream(known, 0, end).mapToDouble(i -> at[i]).toArray(),
                Arrays.stream(known, 0, end).mapToDouble(i -> least[i]).toArray());
    }

    /** What has filled the whole heap went on to the end. */
    private boolean isRising(boolean hasFilledAll) {
        double ofHeap = s.maxOld() > 0 ? LEAST_OF_HEAP * s.maxOld() : Double.POSITIVE_INFINITY;
        Trend recent = trend.recent();
        return trend.correlation() >= RISING
                && trend.rise() >= Math.min(LEAST_OF_LIVE * trend.last(), ofHeap)
                && (hasFilledAll
                        || (recent.correlation() >= STILL_RISING
                                && recent.rise() >= GOES_ON * trend.rise() / 2));
    }

    // ---- Parts of the time ----

    /** Looks at the whole timeline, and at its later half and quarter where the whole is flat. */
    static LiveTrend of(Situation s) {
        List<Tick> ticks = s.timeline().ticks();
        long first = ticks.isEmpty() ? 0 : ticks.get(0).atMillis();
        LiveTrend whole = whole(s, first, s.live().lastUntil(Long.MAX_VALUE));
        LiveTrend found = whole.isRising ? whole : whole.untilFull(first);
        found.isRising &= !(found.isFull && found.hasStopped());
        return found;
    }

    /** Looks at a part of the time. */
    static LiveTrend within(Situation s, long from, long to) {
        return new LiveTrend(s, from, s.live().lastUntil(to));
    }

    /** Looks at a part of the time, and at the last half of it, and so on, if that is flat. */
    private static LiveTrend whole(Situation s, long first, long to) {
        LiveTrend whole = new LiveTrend(s, first, to);
        for (int part = 2; part < PIECES && !whole.isRising && !s.live().isEmpty(); part *= 2) {
            long from = whole.to - (whole.to - first) / part;
            if (part > PARTS && whole.to - from < LONG_MILLIS) {
                break;
            }
            LiveTrend later = new LiveTrend(s, from, whole.to);
            if (later.isRising && later.trend.median() > most(s, first, from)) {
                return later;
            }
        }
        return whole;
    }

    /** The most that collections left; where they are forgotten, the most that was in use. */
    private static double most(Situation s, long from, long to) {
        long known = Math.max(s.live().lastUntil(to), Math.min(to, s.live().since()));
        LiveTrend before = new LiveTrend(s, from, known);
        double most = 0;
        for (int i = 0; i < PIECES; i++) {
            boolean counts = before.isCollected[i] || before.isForgotten(i);
            most = counts && before.isKnown(i) ? Math.max(most, before.least[i]) : most;
        }
        return most;
    }

    /** However long ago that was, and however late: what counts is how the heap became full. */
    private LiveTrend untilFull(long first) {
        long full = isFull ? to : 0;
        List<LiveSet.Point> points = s.live().points();
        for (int i = points.size() - 1; i >= 0; i--) {
            LiveSet.Point point = points.get(i);
            if (point.bytes() < STAYS_FULL * s.maxOld()) {
                break;
            }
            full = s.settings().isNearlyFull((double) point.bytes()) ? point.at() : full;
        }
        LiveTrend until = full == 0 ? this : whole(s, first, full);
        if (!until.isRising || until.trend.span() < LONG_MILLIS) {
            return this;
        }
        until.to = to;
        until.collections = collections;
        until.isFull = true;
        return until;
    }

    // ---- A full heap ----

    /**
     * Did the application allocate enough in the full heap to end by a leak, and is there room
     * left, since the last time that more was live than ever before? A cache that was filled and
     * now replaces its entries allocates as before, and adds nothing. Where no room is left, the
     * two look alike.
     */
    private boolean hasStopped() {
        double heap = s.settings().maxHeap();
        LiveSet.Point high = high();
        double before = s.allocatedBetween(from + (long) trend.begin(), end());
        GcEvent vain = lastVain();
        boolean wasFilled =
                !hasRoom()
                        || high.bytes() >= (1 - WASTE) * heap
                        || (vain != null && vain.atMillis() >= from);
        double grown = trend.rise() * s.allocatedBetween(high.at(), to) / before;
        double room = heap - trend.last(); // The young generation too.
        return !wasFilled && before > 0 && grown >= STOPPED * room;
    }

    private long end() {
        return from + (long) trend.end();
    }

    /** When more was live than ever before, for the last time, from the end of the trend on. */
    private LiveSet.Point high() {
        double more = MORE * s.settings().maxHeap();
        List<LiveSet.Point> all = new ArrayList<>(s.live().points());
        for (GcEvent c : s.timeline().collections()) { // Live objects may be young.
            if (c.isFull()) {
                all.add(new LiveSet.Point(c.atMillis(), c.endMillis(), c.heapAfter()));
            }
        }
        LiveSet.Point high = new LiveSet.Point(0, end(), (long) trend.last());
        for (LiveSet.Point point : all) {
            boolean isHigher = point.bytes() > high.bytes() + more;
            high = isHigher && point.at() > high.at() ? point : high;
        }
        return high;
    }

    /**
     * Did the last collection of the old generation leave any in the whole heap? Parallel cannot
     * use all of the young generation: there, a second full pause in vain shows it.
     */
    boolean hasRoom() {
        List<GcEvent> all = s.timeline().collections();
        double left = 0;
        for (GcEvent c : all) {
            left = c.kind().isOld() ? (double) c.heapAfter() : left;
        }
        GcEvent vain = lastVain();
        boolean isVain = vain != null && vain.equals(all.get(all.size() - 1));
        return !isVain && left < (1 - WASTE) * s.settings().maxHeap();
    }

    /** The last full pause for space that freed little, with another one just before it. */
    private @Nullable GcEvent lastVain() {
        GcEvent last = null;
        boolean isAgain = false; // Without a young one since the last full one: no room.
        for (GcEvent c : s.timeline().collections()) {
            last = isAgain && c.isFullForSpace() && isVain(c) ? c : last;
            isAgain = c.isFull();
        }
        return last;
    }

    private boolean isVain(GcEvent c) {
        return c.heapBefore() - c.heapAfter() < WASTE * s.settings().maxHeap();
    }

    /** Have the last two full pauses for space of this minute left the heap nearly full? */
    boolean isAgainInVain() {
        long since = s.to() - Situation.MINUTE_MILLIS;
        List<GcEvent> all = s.recent(c -> c.atMillis() >= since && c.isFullForSpace());
        return all.size() >= 2
                && all.subList(all.size() - 2, all.size()).stream()
                        .allMatch(
                                c -> isVain(c) && s.settings().isNearlyFull((double) c.oldAfter()));
    }

    // ---- What it shows ----

    /** Returns the bytes that are live: when the heap is full, the trend ends before. */
    double last() {
        List<LiveSet.Point> points = s.live().points();
        return isFull && !points.isEmpty()
                ? (double) points.get(points.size() - 1).bytes()
                : trend.last();
    }

    /** Returns whether it is seen in less than the last quarter of all the time. */
    boolean isLate() {
        long first = s.timeline().ticks().get(0).atMillis();
        return (to - from) * (PARTS + 1) < to - first;
    }

    /**
     * At how many different times the live set is known. Full collections show that of each earlier
     * time to within the bytes that they freed: objects of the old generation that are alive now
     * have been alive since they came there. The number is the rise over those bytes.
     */
    double timesKnown() {
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
    double millisSince(long millis) {
        LiveSet.Point high = high();
        double first = // What the first full pause leaves after the trend.
                s.timeline().collections().stream()
                        .filter(c -> c.isFull() && c.endMillis() > end())
                        .mapToDouble(GcEvent::heapAfter)
                        .findFirst()
                        .orElse(Double.NaN);
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
            return TableRule.note("live.unknown");
        }
        double known = (double) to - from;
        if (trend.count() < LEAST_PIECES) {
            return TableRule.note("live.short", Text.span(known));
        }
        String bytes = Text.bytes(isRising ? trend.rise() : trend.median());
        String span = Text.span(isRising ? trend.span() : known);
        String count = Text.count(collections, "collection", "collections");
        return TableRule.note(isRising ? "live.grows" : "live.stays", bytes, span, count);
    }
}
