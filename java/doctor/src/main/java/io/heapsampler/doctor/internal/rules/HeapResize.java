// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import java.util.List;

/** The heap begins small and is enlarged again and again, with a collection each time. */
public final class HeapResize implements Rule {

    private static final int EVENTS = 3;

    /** What grows in a heap that is fuller has another reason. */
    private static final double MUCH_FREE = 0.5;

    private static final double COSTLY = 0.02;
    private static final int MANY = 100;

    @Override
    public String id() {
        return "heap.resize";
    }

    @Override
    public Verdict judge(Situation s) {
        if (s.isConcurrent()) {
            return Verdict.hidden(
                    this, s.collectorText() + " enlarges its heap without collecting for it.");
        }
        if (s.settings().initialHeap() >= s.settings().maxHeap()) {
            return Verdict.quiet(this, "The heap has its full size from the beginning.");
        }
        return judge(s, Ramp.of(s));
    }

    private Verdict judge(Situation s, Ramp ramp) {
        if (ramp.rises < EVENTS) {
            return Verdict.quiet(
                    this,
                    "The heap was enlarged at "
                            + Text.count(ramp.rises, "collection", "collections")
                            + " with much free space; it takes "
                            + EVENTS
                            + ".");
        }
        double share =
                ramp.pauseMillis / Math.max((double) (ramp.to - ramp.from), s.minuteMillis());
        boolean harms = share > COSTLY || ramp.rises > MANY;
        return new FindingBuilder(
                        this,
                        s,
                        harms ? Severity.WARNING : Severity.INFO,
                        "The heap was enlarged "
                                + Text.count(ramp.rises, "time", "times")
                                + ", with a collection each time")
                .window(ramp.from, ramp.to)
                .evidence(
                        "heap.committed",
                        ramp.committed,
                        "bytes",
                        "It began with "
                                + Text.bytes(s.settings().initialHeap())
                                + ", came to "
                                + Text.bytes(ramp.committed)
                                + " and may become "
                                + Text.bytes(s.settings().maxHeap())
                                + "; less than half of that was in use after each of them.")
                .evidence(
                        "pauses",
                        ramp.pauseMillis,
                        "ms",
                        "The collections took " + Text.millis(ramp.pauseMillis) + ".")
                .advice(
                        Advice.Kind.SIZE,
                        "Let the heap begin with "
                                + Text.bytes(ramp.committed)
                                + " (-Xms) or with all of it, if these pauses matter; an elastic"
                                + " heap is fine where they do not.")
                .refutedBy("With -Xms as large as -Xmx there are as many collections.")
                .fired();
    }

    /** The collections at which the heap was enlarged. */
    private static final class Ramp {
        private int rises;
        private double pauseMillis;
        private long committed;
        private long from;
        private long to;

        static Ramp of(Situation s) {
            Ramp ramp = new Ramp();
            ramp.from = s.from();
            ramp.to = s.from();
            ramp.committed = s.settings().initialHeap();
            List<GcEvent> all = s.recent(c -> c.kind().isPause());
            for (GcEvent c : all) {
                boolean isFree = c.heapAfter() < MUCH_FREE * s.settings().maxHeap();
                if (c.heapCommitted() > ramp.committed && isFree) {
                    ramp.rises++;
                    ramp.pauseMillis += s.fairMillis(c);
                    ramp.to = c.endMillis();
                }
                ramp.committed = Math.max(ramp.committed, c.heapCommitted());
            }
            return ramp;
        }
    }
}
