// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.timeline.GcEvent;

/** The heap begins small and is enlarged again and again, with a collection each time. */
final class HeapResize {

    /** What grows in a heap that is fuller has another reason. */
    private static final double MUCH_FREE = 0.5;

    private static final double COSTLY = 0.02;
    private static final int MANY = 100;

    static final TableRule RULE =
            new TableRule(
                    """
                    heap.resize
                    because leak.growth
                    similar leak.growth promotion.premature
                    hidden?concurrent {collector} enlarges its heap without collecting for it.
                    quiet?full The heap has its full size from the beginning.
                    quiet The heap was enlarged at {rises collection|collections} with much free \
                    space; it takes 3.
                    title The heap was enlarged {rises time|times}, with a collection each time
                    heap.committed It began with {initial}, came to {heap.committed} and may become \
                    {max}; less than half of that was in use after each of them.
                    pauses The collections took {pauses}.
                    SIZE Let the heap begin with {heap.committed} (-Xms) or with all of it, if \
                    these pauses matter; an elastic heap is fine where they do not.
                    wrong With -Xms as large as -Xmx there are as many collections.
                    """,
                    HeapResize::find);

    private HeapResize() {}

    private static void find(Situation s, Facts f) {
        long initial = s.settings().initialHeap();
        long max = s.settings().maxHeap();
        boolean isFixed = s.isConcurrent() || initial >= max;
        f.is("concurrent", s.isConcurrent()).is("full", initial >= max);
        int rises = 0;
        double millis = 0;
        long committed = initial;
        long end = s.from();
        for (GcEvent c : s.timeline().collections()) {
            boolean isMeant = c.kind().isPause() && c.atMillis() >= s.from();
            if (isMeant && c.heapCommitted() > committed && c.heapAfter() < MUCH_FREE * max) {
                rises++;
                millis += s.fairMillis(c);
                end = c.endMillis();
            }
            committed = Math.max(committed, c.heapCommitted());
        }
        double share = millis / Math.max((double) (end - s.from()), s.minuteMillis());
        f.count("rises", rises);
        if (f.fires(!isFixed && rises >= CollectorRules.EVENTS, share > COSTLY || rises > MANY)) {
            f.window(s.from(), end).bytes("initial", initial).bytes("max", max);
            f.bytes("heap.committed", committed).millis("pauses", millis);
        }
    }
}
