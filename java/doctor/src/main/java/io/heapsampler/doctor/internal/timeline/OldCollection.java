// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A time at which garbage of the old generation was given back: a full pause, a cycle over the old
 * generation, or the mixed pauses of G1 that follow one of its cycles, which together are one. In a
 * heap without generations the old one is the heap. Sizes are in bytes.
 *
 * @param at when it began, milliseconds since 1970
 * @param end when it was over
 * @param before the old generation before
 * @param after the old generation after: live objects and floating garbage
 * @param cause the cause that the JVM gives
 * @param kind the kind of the first notification
 */
public record OldCollection(
        long at, long end, long before, long after, String cause, CollectionKind kind) {

    /** Mixed pauses that are no farther apart than this belong to one cycle. */
    private static final long SAME_CYCLE_MILLIS = 10_000;

    /** Returns those of a timeline of which the sizes are known, oldest first. */
    public static List<OldCollection> of(Timeline timeline) {
        List<OldCollection> all = new ArrayList<>();
        for (GcEvent collection : timeline.collections()) {
            OldCollection old = of(collection, timeline.settings());
            OldCollection last = all.isEmpty() ? null : all.get(all.size() - 1);
            if (old != null && last != null && old.continues(last)) {
                all.set(all.size() - 1, last.with(old));
            } else if (old != null) {
                all.add(old);
            }
        }
        return all;
    }

    private static @Nullable OldCollection of(GcEvent c, JvmSettings settings) {
        long before = c.oldBefore() > 0 ? c.oldBefore() : c.heapBefore();
        long after = c.oldBefore() > 0 ? c.oldAfter() : c.heapAfter();
        boolean isKnown = before > 0 && after >= 0;
        boolean isMixed =
                c.oldBefore() > 0
                        && c.oldBefore() - c.oldAfter() > leastReclaimed(settings)
                        && c.kind() != CollectionKind.UNKNOWN;
        if (!isKnown || !(c.kind().isOld() || isMixed)) {
            return null;
        }
        return new OldCollection(c.atMillis(), c.endMillis(), before, after, c.cause(), c.kind());
    }

    /** Less than this goes in any young collection of G1, such as a humongous object. */
    private static long leastReclaimed(JvmSettings settings) {
        return Math.max(2 * settings.regionSize(), settings.maxHeap() / 100);
    }

    private boolean continues(OldCollection last) {
        return !kind.isOld()
                && !last.kind.isOld()
                && at - last.end < SAME_CYCLE_MILLIS
                && before <= last.before;
    }

    private OldCollection with(OldCollection later) {
        return new OldCollection(at, later.end, before, later.after, cause, kind);
    }

    /** What was given back. */
    public long freed() {
        return Math.max(before - after, 0);
    }
}
