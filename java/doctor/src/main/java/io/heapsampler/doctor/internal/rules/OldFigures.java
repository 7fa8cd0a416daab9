// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.OldCollection;
import io.heapsampler.doctor.internal.timeline.Trend;
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

    static OldFigures of(Situation s) {
        List<OldCollection> olds =
                OldCollection.of(s.timeline()).stream()
                        .filter(old -> old.at() >= s.from() && Causes.isForSpace(old.cause()))
                        .toList();
        double before = 0;
        double freed = 0;
        int first = 0;
        Situation.Minute worst = new Situation.Minute(0, 0, s.from(), s.to());
        for (int i = 0; i < olds.size(); i++) {
            OldCollection old = olds.get(i);
            before += old.before();
            freed += old.freed();
            while (first < i && olds.get(first).at() < old.end() - Situation.MINUTE_MILLIS) {
                first++;
            }
            int count = i - first + 1;
            if (count > worst.count()) {
                worst = new Situation.Minute(count, count, olds.get(first).at(), old.end());
            }
        }
        double[] after = olds.stream().mapToDouble(OldCollection::after).toArray();
        long live = (long) Trend.of(after).median();
        double pauses =
                s.worstPauseShare(s.recent(c -> c.kind().isOld() && Causes.isForSpace(c.cause())));
        return new OldFigures(olds, before == 0 ? 0 : freed / before, live, worst, pauses);
    }

    int count() {
        return olds.size();
    }

    void tell(FindingBuilder finding) {
        OldCollection last = olds.get(olds.size() - 1);
        String text =
                "{} of the old generation freed {s} of it; the last one went from {b} to {b}.";
        String olds = Text.count(count(), "collection", "collections");
        finding.evidence(
                "old.freed",
                freedShare,
                "share",
                text,
                olds,
                freedShare,
                last.before(),
                last.after());
    }
}
