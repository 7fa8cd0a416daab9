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

    /** When more than that is freed, the objects need not have been promoted at all. */
    private static final double MOSTLY_FREED = 0.5;

    /** A concurrent collector that runs for more than this share of the time is too busy. */
    private static final double BUSY = 0.5;

    /** The application stands still for most of the time. */
    private static final double MOST_OF_THE_TIME = 0.5;

    /** A heap with a larger share of live bytes is too small. */
    private static final double TIGHT = 0.45;

    @Override
    public String id() {
        return "old.frequent";
    }

    @Override
    public Verdict judge(Situation s) {
        OldFigures olds = OldFigures.of(s);
        if (olds.worstMinute().count() < EVENTS) {
            return Verdict.quiet(
                    this,
                    Text.count(olds.worstMinute().count(), "collection", "collections")
                            + " of the old generation for want of space in the worst minute; it"
                            + " takes "
                            + EVENTS
                            + ".");
        }
        double tightness = tightness(s, olds);
        if (tightness < TIGHT / 2) {
            return Verdict.quiet(
                    this,
                    "Only "
                            + Text.share(tightness)
                            + " of the maximum old generation is live after them: the heap has"
                            + " room, or is still growing.");
        }
        if (olds.freedShare() >= MOSTLY_FREED && tightness < TIGHT && !isStalling(olds)) {
            return Verdict.quiet(
                    this,
                    "They freed "
                            + Text.share(olds.freedShare())
                            + " of the old generation: the live objects have room.");
        }
        double pauses = oldPauseShare(s);
        boolean harms =
                pauses > 1 - s.slo().throughputMin()
                        || isStalling(olds)
                        || (busyShare(s, olds) > BUSY && tightness > TIGHT);
        if (!harms) {
            return Verdict.quiet(
                    this,
                    "They took "
                            + Text.share(pauses)
                            + " of the worst minute; your limit is "
                            + Text.share(1 - s.slo().throughputMin())
                            + ".");
        }
        return finding(s, olds, pauses);
    }

    /** Did threads wait for memory that the collector could not free in time? */
    private static boolean isStalling(OldFigures olds) {
        int stalls = 0;
        for (OldCollection old : olds.olds()) {
            stalls += Causes.isStall(old.cause()) ? 1 : 0;
        }
        return stalls >= EVENTS;
    }

    private static double oldPauseShare(Situation s) {
        return s.worstPauseShare(s.recent(c -> c.kind().isOld() && Causes.isForSpace(c.cause())));
    }

    private static double busyShare(Situation s, OldFigures olds) {
        double busy = 0;
        for (OldCollection old : olds.olds()) {
            busy += old.kind().isPause() ? 0 : (double) (old.end() - old.at());
        }
        return busy / s.millis();
    }

    /** The share that is live after collections, of all that the old generation can become. */
    private static double tightness(Situation s, OldFigures olds) {
        long young = s.hasGenerations() ? Math.max(s.settings().maxYoung(), 0) : 0;
        long most = s.settings().maxHeap() - young;
        return most <= 0 ? 0 : (double) olds.live() / most;
    }

    private Verdict finding(Situation s, OldFigures olds, double pauses) {
        LiveTrend live = LiveTrend.of(s);
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        pauses >= MOST_OF_THE_TIME ? Severity.CRITICAL : Severity.WARNING,
                        "The old generation is collected "
                                + Text.count(olds.worstMinute().count(), "time", "times")
                                + " within "
                                + Text.span(olds.worstMinute().to() - olds.worstMinute().from())
                                + ", and "
                                + Text.bytes(olds.live())
                                + " of it stay");
        finding.window(olds.worstMinute().from(), olds.worstMinute().to());
        finding.evidence(
                "old.share",
                pauses,
                "share",
                "Its pauses took " + Text.share(pauses) + " of the worst minute.");
        olds.tell(finding);
        long need = Sizing.leastOld(olds.live());
        finding.evidence(
                "old.size",
                need,
                "bytes",
                Text.bytes(olds.live())
                        + " live of a heap of "
                        + Text.bytes(s.settings().maxHeap())
                        + "; the old generation alone needs about three times that, "
                        + Text.bytes(need)
                        + ".");
        finding.evidence("kind", live.isRising() ? 1L : 0L, "rising", live.text());
        return finding.sites(Makers.holders(s))
                .advice(
                        Advice.Kind.CODE,
                        "Keep less: bound or shrink the holders of the memory named here, or give"
                                + " the heap room for it ("
                                + Text.bytes(need)
                                + " for the old generation).")
                .refutedBy("In a heap of twice the size the collections come as often.")
                .refutedBy("Most of the old generation is free after each of them.")
                .fired();
    }
}
