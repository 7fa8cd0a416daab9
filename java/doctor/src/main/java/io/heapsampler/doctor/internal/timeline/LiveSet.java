// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import io.heapsampler.GarbageCollector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The size of the live set, as collections show it: the bytes in use after a full collection, or
 * after a cycle of ZGC or Shenandoah over the whole heap. With G1 it is the least that a pause
 * leaves between one marking and the next. G1 frees old regions only after a marking, and none if
 * it finds no garbage in them: then the live set is what the old generation held all the time.
 *
 * @param points oldest first
 * @param since from when on none is missing, milliseconds since 1970; earlier collections may be
 *     forgotten
 */
public record LiveSet(List<Point> points, long since) {

    /** The type of the event that says that G1 has marked the heap, where no notification does. */
    public static final String MARKED = "G1Marked";

    private static final String G1_MARKING = "G1 Concurrent GC";

    /**
     * The live set at a time.
     *
     * @param begin when the collection or the marking began, milliseconds since 1970
     * @param at when it was over
     * @param bytes of the old generation, or of a heap without generations
     */
    public record Point(long begin, long at, long bytes) {}

    /** Nothing is known. */
    public static final LiveSet NONE = new LiveSet(List.of(), Long.MIN_VALUE);

    /** Reads it from a timeline. */
    public static LiveSet of(Timeline timeline) {
        List<Point> points = new ArrayList<>();
        for (OldCollection old : OldCollection.of(timeline)) {
            points.add(new Point(old.at(), old.end(), old.after()));
        }
        if (timeline.settings().collector() == GarbageCollector.G1) {
            addMarkings(timeline, points);
            points.sort(Comparator.comparingLong(Point::at));
        }
        return new LiveSet(List.copyOf(points), since(timeline, points));
    }

    /** What is kept is bounded: young collections, old ones, and events. */
    private static long since(Timeline timeline, List<Point> points) {
        boolean isG1 = timeline.settings().collector() == GarbageCollector.G1;
        int olds = 0;
        int marked = 0;
        long firstMarked = Long.MIN_VALUE;
        for (GcEvent c : timeline.collections()) {
            olds += c.kind().isOld() ? 1 : 0;
        }
        for (JvmEvent event : timeline.events()) {
            if (event.type().equals(MARKED)) {
                firstMarked = marked++ == 0 ? event.atMillis() : firstMarked;
            }
        }
        long since = isG1 ? timeline.completeFromMillis() : Long.MIN_VALUE;
        since = marked < History.EVENTS ? since : Math.max(since, firstMarked);
        return olds < History.OLD ? since : Math.max(since, points.get(0).at());
    }

    private static void addMarkings(Timeline timeline, List<Point> points) {
        long[] markings = markings(timeline);
        int next = 0;
        Point least = null;
        for (GcEvent c : timeline.collections()) {
            while (next < markings.length && markings[next] <= c.atMillis()) {
                if (least != null) {
                    points.add(least);
                }
                least = null;
                next++;
            }
            boolean isAfterMarking = next > 0 && c.kind() == CollectionKind.YOUNG_PAUSE;
            if (isAfterMarking
                    && c.oldAfter() >= 0
                    && (least == null || c.oldAfter() <= least.bytes())) {
                least = new Point(markings[next - 1], c.endMillis(), c.oldAfter());
            }
        }
        if (least != null) {
            points.add(least);
        }
    }

    private static long[] markings(Timeline timeline) {
        Stream<GcEvent> notified =
                timeline.collections().stream().filter(c -> c.bean().equals(G1_MARKING));
        Stream<JvmEvent> counted =
                timeline.events().stream().filter(event -> event.type().equals(MARKED));
        return LongStream.concat(
                        notified.mapToLong(GcEvent::atMillis),
                        counted.mapToLong(JvmEvent::atMillis))
                .sorted()
                .toArray();
    }

    /** Returns whether nothing is known of the live set. */
    public boolean isEmpty() {
        return points.isEmpty();
    }

    /**
     * Returns when the last, or an earlier, collection began.
     *
     * @param number 1 for the last one, 2 for the one before
     * @return milliseconds since 1970; {@link Long#MIN_VALUE} if there is none
     */
    public long beginOf(int number) {
        return points.size() < number ? Long.MIN_VALUE : points.get(points.size() - number).begin();
    }

    /** Returns the time of the last point that is not after a time; 0 if there is none. */
    public long lastUntil(long to) {
        long last = 0;
        for (Point point : points) {
            last = point.at() <= to ? point.at() : last;
        }
        return last;
    }
}
