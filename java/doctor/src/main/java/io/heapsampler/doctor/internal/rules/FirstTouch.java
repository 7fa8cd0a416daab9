// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Trend;
import java.util.List;

/** The first collections are slow because the system has to hand out each page at its first use. */
final class FirstTouch {

    private static final int LEAST = 6;
    private static final int MOST_EARLY = 10;
    private static final double MUCH_SLOWER = 2;
    private static final double LEAST_MILLIS = 100;
    private static final double LEAST_MEGABYTES = 1;
    private static final double MB = 1 << 20;

    private FirstTouch() {}

    static void find(Situation s, Facts f) {
        boolean isTouched = s.settings().isOn("AlwaysPreTouch");
        long earlier = s.timeline().earlier();
        List<GcEvent> copying = copying(s);
        boolean isLate = earlier > 0 || s.timeline().completeFromMillis() != Long.MIN_VALUE;
        boolean isFew = copying.size() < LEAST;
        f.is("concurrent", s.isConcurrent()).is("touched", isTouched);
        f.is("late", isLate && !isTouched).is("few", isFew).count("copying", copying.size());
        if (s.isConcurrent() || isTouched || isLate || isFew) {
            return;
        }
        int early = Math.min(MOST_EARLY, copying.size() / 3);
        List<GcEvent> first = copying.subList(0, early);
        double before = millisPerMegabyte(first);
        double after = millisPerMegabyte(copying.subList(copying.size() - early, copying.size()));
        double lost = Situation.pauseMillis(first) * (1 - after / before);
        f.text("before", Text.number(before)).text("after", Text.number(after));
        if (f.fires(before > MUCH_SLOWER * after && lost >= LEAST_MILLIS, false)) {
            f.during(first, List.of()).count("early", early).millis("lost", lost);
            f.put("touch.cost", before / Math.max(after, 0.001), "times", "");
        }
    }

    /** Pauses that copied something, of the whole timeline. */
    private static List<GcEvent> copying(Situation s) {
        return s.timeline().collections().stream()
                .filter(c -> c.kind() == CollectionKind.YOUNG_PAUSE)
                .filter(c -> megabytes(c) >= LEAST_MEGABYTES)
                .toList();
    }

    private static double megabytes(GcEvent c) {
        return c.copied() / MB;
    }

    /** The median. */
    private static double millisPerMegabyte(List<GcEvent> collections) {
        double[] each =
                collections.stream().mapToDouble(c -> c.durationMillis() / megabytes(c)).toArray();
        return Trend.of(each).median();
    }
}
