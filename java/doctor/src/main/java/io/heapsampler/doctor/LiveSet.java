// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The size of the live set, as collections show it: the bytes in use after a full collection, or
 * after a cycle of ZGC or Shenandoah over the whole heap. With G1 it is the least that a pause
 * leaves between one marking and the next. G1 frees old regions only after a marking, and none if
 * it finds no garbage in them: then the live set is what the old generation held all the time.
 *
 * @param points oldest first
 * @param since from when on none is missing, milliseconds since 1970
 */
record LiveSet(List<Point> points, long since) {

    /** The type of the event that says that G1 has marked the heap, where no notification does. */
    static final String MARKED = "G1Marked";

    private static final String G1_MARKING = "G1 Concurrent GC";

    /** The live set, in bytes, when a collection or marking was over. Times since 1970. */
    record Point(long begin, long at, long bytes) {}

    /** Nothing is known. */
    static final LiveSet NONE = new LiveSet(List.of(), Long.MIN_VALUE);

    /** Reads it from a timeline. */
    static LiveSet of(Timeline timeline) {
        boolean isG1 = timeline.settings().collector() == GarbageCollector.G1;
        List<Point> points = new ArrayList<>();
        for (OldCollection old : OldCollection.of(timeline)) {
            points.add(new Point(old.at(), old.end(), old.after()));
        }
        if (isG1) {
            addMarkings(timeline, points);
            points.sort(Comparator.comparingLong(Point::at));
        }
        return new LiveSet(List.copyOf(points), since(timeline, points, isG1));
    }

    /** What is kept is bounded: young collections, old ones, and events. */
    private static long since(Timeline timeline, List<Point> points, boolean isG1) {
        long olds = timeline.collections().stream().filter(c -> c.kind().isOld()).count();
        long[] marked = counted(timeline).toArray();
        long since = isG1 ? timeline.completeFromMillis() : Long.MIN_VALUE;
        since = marked.length < History.EVENTS ? since : Math.max(since, marked[0]);
        return olds < History.OLD ? since : Math.max(since, points.get(0).at());
    }

    /**
     * When G1 had marked the heap, and unloaded classes, oldest first. A marking has two pauses.
     * Those without a young pause between them count once.
     */
    static List<Long> markings(Timeline timeline) {
        LongStream notified =
                timeline.collections().stream()
                        .filter(c -> c.bean().equals(G1_MARKING))
                        .mapToLong(GcEvent::atMillis);
        long[] pauses = LongStream.concat(notified, counted(timeline)).sorted().toArray();
        List<Long> markings = new ArrayList<>();
        int next = 0;
        for (GcEvent c : timeline.collections()) {
            int first = next;
            while (c.isYoung() && next < pauses.length && pauses[next] <= c.atMillis()) {
                next++;
            }
            if (next > first) {
                markings.add(pauses[next - 1]);
            }
        }
        if (next < pauses.length) {
            markings.add(pauses[pauses.length - 1]);
        }
        return markings;
    }

    private static void addMarkings(Timeline timeline, List<Point> points) {
        List<Long> markings = markings(timeline);
        int next = 0;
        Point least = null;
        for (GcEvent c : timeline.collections()) {
            if (next < markings.size() && markings.get(next) <= c.atMillis()) {
                if (least != null) {
                    points.add(least);
                }
                least = null;
                next++;
            }
            boolean isKnown = next > 0 && c.isYoung() && c.oldAfter() >= 0;
            if (isKnown && (least == null || c.oldAfter() <= least.bytes())) {
                least = new Point(markings.get(next - 1), c.endMillis(), c.oldAfter());
            }
        }
        if (least != null) {
            points.add(least);
        }
    }

    private static LongStream counted(Timeline timeline) {
        return timeline.events().stream()
                .filter(event -> event.type().equals(MARKED))
                .mapToLong(JvmEvent::atMillis);
    }

    boolean isEmpty() {
        return points.isEmpty();
    }

    /** When the last (1), or an earlier, collection began; {@link Long#MIN_VALUE} if never. */
    long beginOf(int number) {
        return points.size() < number ? Long.MIN_VALUE : points.get(points.size() - number).begin();
    }

    /** Returns the time of the last point that is not after a time; 0 if there is none. */
    long lastUntil(long to) {
        long last = 0;
        for (Point point : points) {
            last = point.at() <= to ? point.at() : last;
        }
        return last;
    }
}
