// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.OldCollection;

/**
 * The old generation is collected again and again, and each collection frees little. The live
 * objects, such as those of a bounded cache, need a larger heap.
 */
public final class FrequentOld implements Rule {

    private static final int EVENTS = 3;
    private static final double MOSTLY_FREED = 0.5; // Then they need not have been promoted.
    private static final double BUSY = 0.5; // Of the time in concurrent cycles.
    private static final double MOST_OF_THE_TIME = 0.5;
    private static final double TIGHT = 0.45; // Of the heap is live: it is too small.

    @Override
    public String id() {
        return "old.frequent";
    }

    @Override
    public Verdict judge(Situation s) {
        OldFigures olds = OldFigures.of(s);
        if (olds.worstMinute().count() < EVENTS) {
            String text =
                    "{} of the old generation for want of space in the worst minute; it takes {}.";
            String count = Text.count(olds.worstMinute().count(), "collection", "collections");
            return Verdict.quiet(this, text, count, EVENTS);
        }
        double busy = 0;
        int stalls = 0;
        for (OldCollection old : olds.olds()) {
            busy += old.kind().isPause() ? 0 : (double) (old.end() - old.at());
            stalls += Causes.isStall(old.cause()) ? 1 : 0;
        }
        boolean isStalling = stalls >= EVENTS; // Threads waited for memory.
        double tightness = s.maxOld() <= 0 ? 0 : olds.live() / s.maxOld();
        if (tightness < TIGHT / 2) {
            String text =
                    "Only {s} of the maximum old generation is live after them: the heap has room,"
                            + " or is still growing.";
            return Verdict.quiet(this, text, tightness);
        }
        if (olds.freedShare() >= MOSTLY_FREED && tightness < TIGHT && !isStalling) {
            String text = "They freed {s} of the old generation: the live objects have room.";
            return Verdict.quiet(this, text, olds.freedShare());
        }
        double limit = 1 - s.slo().throughputMin();
        boolean isBusy = busy / s.millis() > BUSY && tightness > TIGHT;
        if (olds.pauseShare() <= limit && !isStalling && !isBusy) {
            String text = "They took {s} of the worst minute; your limit is {s}.";
            return Verdict.quiet(this, text, olds.pauseShare(), limit);
        }
        return finding(s, olds);
    }

    private Verdict finding(Situation s, OldFigures olds) {
        LiveTrend trend = LiveTrend.of(s);
        Situation.Minute worst = olds.worstMinute();
        double pauses = olds.pauseShare();
        long need = Sizing.leastOld(olds.live());
        Severity severity = pauses >= MOST_OF_THE_TIME ? Severity.CRITICAL : Severity.WARNING;
        String title = "The old generation is collected {} within {t}, and {b} of it stay";
        String times = Text.count(worst.count(), "time", "times");
        long span = worst.to() - worst.from();
        FindingBuilder finding =
                new FindingBuilder(this, s, severity, title, times, span, olds.live())
                        .window(worst.from(), worst.to());
        String took = "Its pauses took {s} of the worst minute.";
        finding.evidence("old.share", pauses, "share", took, pauses);
        olds.tell(finding);
        String size =
                "{b} live of a heap of {b}; the old generation alone needs about three times that,"
                        + " {b}.";
        long heap = s.settings().maxHeap();
        finding.evidence("old.size", need, "bytes", size, olds.live(), heap, need);
        finding.evidence("kind", trend.isRising() ? 1 : 0, "rising", trend.text());
        String advice =
                "Keep less: bound or shrink the holders of the memory named here, or give the heap"
                        + " room for it ({b} for the old generation).";
        return finding.sites(Makers.holders(s))
                .advice(Advice.Kind.CODE, advice, need)
                .refutedBy("In a heap of twice the size the collections come as often.")
                .refutedBy("Most of the old generation is free after each of them.")
                .fired();
    }
}
