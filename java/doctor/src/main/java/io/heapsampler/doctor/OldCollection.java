// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A time at which garbage of the old generation was given back: a full pause, a cycle over the old
 * generation, or what G1 frees at the end of one of its cycles and in the mixed pauses that follow,
 * which together are one. In a heap without generations the old one is the heap. Sizes in bytes,
 * times since 1970; cause and kind are those of the first notification.
 *
 * @param survived objects that are alive after this time have survived it
 */
record OldCollection(
        long at,
        long end,
        long survived,
        long before,
        long after,
        String cause,
        CollectionKind kind) {

    /** Mixed pauses that are no farther apart than this belong to one cycle. */
    private static final long SAME_CYCLE_MILLIS = 10_000;

    /** Within this time after a full pause no application code has run: both are one operation. */
    private static final long SAME_OPERATION_MILLIS = 2;

    private static final String MARKING = "No GC"; // The cause where it is notified.

    /** Returns those of a timeline of which the sizes are known, oldest first. */
    static List<OldCollection> of(Timeline timeline) {
        JvmSettings settings = timeline.settings();
        long least = leastReclaimed(settings);
        List<OldCollection> all = new ArrayList<>();
        boolean isG1 = settings.collector() == GarbageCollector.G1;
        long complete = timeline.completeFromMillis();
        GcEvent previous = null;
        for (GcEvent collection : timeline.collections()) {
            if (isG1 && previous != null && previous.atMillis() >= complete) {
                add(all, between(previous, collection, least));
            }
            add(all, of(collection, least));
            previous = collection;
        }
        return all;
    }

    /** Less than this goes in any young collection of G1, such as a humongous object. */
    private static long leastReclaimed(JvmSettings settings) {
        return Math.max(2 * settings.regionSize(), settings.maxHeap() / 100);
    }

    /** Is it a collection of the old generation, or a part of one, such as a mixed pause? */
    static boolean isPart(GcEvent c, JvmSettings settings) {
        return of(c, leastReclaimed(settings)) != null;
    }

    private static void add(List<OldCollection> all, @Nullable OldCollection old) {
        OldCollection last = all.isEmpty() ? null : all.get(all.size() - 1);
        if (old != null && last != null && old.continues(last)) {
            all.set(all.size() - 1, last.with(old));
        } else if (old != null) {
            all.add(old);
        }
    }

    /** G1 frees dead regions after marking, which JDK 17 to 19 do not notify. */
    private static @Nullable OldCollection between(GcEvent a, GcEvent b, long leastReclaimed) {
        long at = a.endMillis();
        long end = b.atMillis();
        long before = a.oldAfter();
        long after = b.oldBefore();
        CollectionKind kind = CollectionKind.PHASE_PAUSE;
        return after >= 0 && before - after > leastReclaimed
                ? new OldCollection(at, end, end, before, after, MARKING, kind)
                : null;
    }

    private static @Nullable OldCollection of(GcEvent c, long leastReclaimed) {
        boolean hasOld = c.oldBefore() > 0;
        long before = hasOld ? c.oldBefore() : c.heapBefore();
        long after = hasOld ? c.oldAfter() : c.heapAfter();
        boolean isMixed =
                hasOld && before - after > leastReclaimed && c.kind() != CollectionKind.UNKNOWN;
        boolean isMeant = before > 0 && after >= 0 && (c.kind().isOld() || isMixed);
        long at = c.atMillis();
        long end = c.endMillis();
        // No look is during a pause. If it seems so, the clocks differ by some milliseconds.
        long survived = c.kind().isOld() && c.kind().isPause() ? end : at;
        return isMeant
                ? new OldCollection(at, end, survived, before, after, c.cause(), c.kind())
                : null;
    }

    private boolean continues(OldCollection last) {
        return !kind.isOld()
                && !last.kind.isOld()
                && at - last.end < SAME_CYCLE_MILLIS
                && before <= last.before;
    }

    private OldCollection with(OldCollection later) {
        return new OldCollection(at, later.end, survived, before, later.after, cause, kind);
    }

    /** What was given back. */
    long freed() {
        return Math.max(before - after, 0);
    }

    /**
     * How much was softly reachable the last time that collections found the heap, or metaspace,
     * full even after a full pause. The JVM then makes a second one that clears all soft
     * references. No application code runs in between, so the difference was softly reachable. 0 if
     * that never was.
     */
    static long softlyReachable(List<OldCollection> all) {
        long last = 0;
        for (int i = 1; i < all.size(); i++) {
            OldCollection first = all.get(i - 1);
            OldCollection second = all.get(i);
            boolean isSame =
                    first.kind == CollectionKind.FULL_PAUSE
                            && second.kind == CollectionKind.FULL_PAUSE
                            && second.at - first.end <= SAME_OPERATION_MILLIS;
            last = isSame ? Math.max(first.after - second.after, 0) : last;
        }
        return last;
    }
}
