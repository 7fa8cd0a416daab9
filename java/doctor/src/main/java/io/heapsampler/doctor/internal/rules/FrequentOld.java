// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.OldCollection;

/**
 * The old generation is collected again and again, and each collection frees little. The live
 * objects, such as those of a bounded cache, need a larger heap.
 */
final class FrequentOld {

    private static final double MOSTLY_FREED = 0.5; // Then they need not have been promoted.
    private static final double BUSY = 0.5; // Of the time in concurrent cycles.
    private static final double MOST_OF_THE_TIME = 0.5;
    private static final double TIGHT = 0.45; // Of the heap is live: it is too small.

    static final TableRule RULE =
            new TableRule(
                    """
                    old.frequent
                    because leak.growth promotion.premature load
                    similar promotion.premature leak.growth gc.humongous gc.explicit metaspace.leak
                    quiet?few {worst collection|collections} of the old generation for want of \
                    space in the worst minute; it takes 3.
                    quiet?roomy Only {tightness} of the maximum old generation is live after them: \
                    the heap has room, or is still growing.
                    quiet?gone They freed {freed} of the old generation: the live objects have room.
                    quiet They took {old.share} of the worst minute; your limit is {limit}.
                    title The old generation is collected {worst time|times} within {span}, and \
                    {live} of it stay
                    old.share Its pauses took {old.share} of the worst minute.
                    old.freed {old.freed}
                    old.size {live} live of a heap of {heap}; the old generation alone needs about \
                    three times that, {old.size}.
                    kind {kind}
                    CODE Keep less: bound or shrink the holders of the memory named here, or give \
                    the heap room for it ({old.size} for the old generation).
                    wrong In a heap of twice the size the collections come as often.
                    wrong Most of the old generation is free after each of them.
                    """,
                    FrequentOld::find);

    private FrequentOld() {}

    private static void find(Situation s, Facts f) {
        OldFigures olds = OldFigures.of(s);
        Situation.Minute worst = olds.worstMinute();
        double busy = 0;
        int stalls = 0;
        for (OldCollection old : olds.olds()) {
            busy += old.kind().isPause() ? 0 : (double) (old.end() - old.at());
            stalls += Causes.isStall(old.cause()) ? 1 : 0;
        }
        boolean isStalling = stalls >= CollectorRules.EVENTS; // Threads waited for memory.
        double tightness = s.maxOld() <= 0 ? 0 : olds.live() / s.maxOld();
        double limit = s.pauseShareMax();
        boolean isBusy = busy / s.millis() > BUSY && tightness > TIGHT;
        boolean isFew = worst.count() < CollectorRules.EVENTS;
        boolean isRoomy = tightness < TIGHT / 2;
        boolean isGone = olds.freedShare() >= MOSTLY_FREED && tightness < TIGHT && !isStalling;
        boolean isHarm = olds.pauseShare() > limit || isStalling || isBusy;
        olds.tell(f);
        f.is("few", isFew).is("roomy", isRoomy).is("gone", isGone).count("worst", worst.count());
        f.share("tightness", tightness).share("old.share", olds.pauseShare());
        if (f.share("limit", limit).fires(!isFew && !isRoomy && !isGone && isHarm, true)) {
            boolean isMost = olds.pauseShare() >= MOST_OF_THE_TIME;
            f.severity = isMost ? Severity.CRITICAL : f.severity;
            LiveTrend trend = LiveTrend.of(s);
            f.window(worst.from(), worst.to()).span("span", (double) worst.to() - worst.from());
            f.bytes("heap", s.settings().maxHeap()).bytes("old.size", olds.leastOld());
            f.put("kind", trend.isRising() ? 1 : 0, "rising", trend.text());
            f.sites(NamedSites.holders(s));
        }
    }
}
