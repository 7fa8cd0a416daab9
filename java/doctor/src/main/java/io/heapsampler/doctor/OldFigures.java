// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.List;

/**
 * The recent collections of the old generation that took place for want of space.
 *
 * @param freedShare the share of the used bytes that they freed
 * @param live the median of the bytes in use after them
 * @param worstMinute the minute with most of them
 * @param pauseShare the share of the worst minute that their pauses took
 */
record OldFigures(
        List<OldCollection> olds,
        double freedShare,
        long live,
        Situation.Minute worstMinute,
        double pauseShare) {

    private static final double OLD_PER_LIVE = 3;
    private static final double FLOATING = 1.25;
    private static final double MOSTLY_FREED = 0.5; // Then they need not have been promoted.
    private static final double BUSY = 0.5; // Of the time in concurrent cycles.
    private static final double MOST_OF_THE_TIME = 0.5;
    private static final double TIGHT = 0.45; // Of the heap is live: it is too small.

    static OldFigures of(Situation s) {
        List<OldCollection> olds =
                OldCollection.of(s.timeline()).stream()
                        .filter(old -> old.at() >= s.from() && Causes.isForSpace(old.cause()))
                        .toList();
        Situation.Minute worst =
                s.worstMinute(olds, OldCollection::at, OldCollection::end, old -> 1);
        double[] after = olds.stream().mapToDouble(OldCollection::after).toArray();
        long live = (long) Trend.median(after);
        double pauses =
                s.worstPauseShare(
                        s.recent(
                                c ->
                                        Causes.isForSpace(c.cause())
                                                && OldCollection.isPart(c, s.settings())));
        return new OldFigures(olds, freedShare(olds), live, worst, pauses);
    }

    /** The share of the used bytes that some collections freed. */
    static double freedShare(List<OldCollection> olds) {
        double before = olds.stream().mapToDouble(OldCollection::before).sum();
        double freed = olds.stream().mapToDouble(OldCollection::freed).sum();
        return before == 0 ? 0 : freed / before;
    }

    int count() {
        return olds.size();
    }

    /** The least old generation for the live set: three times its size. */
    long leastOld() {
        return Math.round(OLD_PER_LIVE * live);
    }

    /** With room for floating garbage. */
    long old() {
        return Math.round(OLD_PER_LIVE * FLOATING * live);
    }

    /** What that leaves of a heap for the young generation; 0 if nothing. */
    long young(long heap) {
        return Math.max(heap - old(), 0);
    }

    /** Adds the figures, and {@code old.freed} as a sentence. */
    void tell(Facts f) {
        f.count("olds", count()).bytes("live", live);
        if (!olds.isEmpty()) {
            OldCollection last = olds.get(olds.size() - 1);
            f.share("freed", freedShare)
                    .bytes("before", last.before())
                    .bytes("after", last.after());
            f.put("old.freed", freedShare, "share", f.in(TableRule.note("freed")));
        }
    }

    /**
     * The old generation is collected again and again, and each collection frees little. The live
     * objects, such as those of a bounded cache, need a larger heap.
     */
    static void find(Situation s, Facts f) {
        OldFigures olds = of(s);
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
            f.put("kind", trend.isRising ? 1 : 0, "rising", trend.text());
            f.sites(NamedSites.holders(s));
        }
    }
}
