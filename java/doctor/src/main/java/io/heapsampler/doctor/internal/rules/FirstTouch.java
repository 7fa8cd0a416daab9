// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.BeanCounts;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Trend;
import java.util.ArrayList;
import java.util.List;

/**
 * The first collections are slow because the system has to hand out each page that they touch for
 * the first time.
 */
public final class FirstTouch implements Rule {

    private static final int LEAST = 6;
    private static final int MOST_EARLY = 10;
    private static final double MUCH_SLOWER = 2;
    private static final double LEAST_MILLIS = 100;
    private static final double LEAST_MEGABYTES = 1;
    private static final double MB = 1 << 20;

    @Override
    public String id() {
        return "first-touch";
    }

    @Override
    public Verdict judge(Situation s) {
        if (s.isConcurrent()) {
            return Verdict.hidden(
                    this, s.collectorText() + " touches pages beside the application.");
        }
        if (s.settings().isOn("AlwaysPreTouch")) {
            return Verdict.quiet(this, "All pages are touched at the start (AlwaysPreTouch).");
        }
        for (BeanCounts bean : s.timeline().beans()) {
            if (bean.earlier() > 0) {
                return Verdict.hidden(
                        this, "The first collections took place before the doctor came.");
            }
        }
        return judge(s, copying(s));
    }

    private Verdict judge(Situation s, List<GcEvent> copying) {
        int early = Math.min(MOST_EARLY, copying.size() / 3);
        if (copying.size() < LEAST) {
            return Verdict.quiet(
                    this,
                    Text.count(copying.size(), "collection", "collections")
                            + " copied anything worth mentioning; it takes "
                            + LEAST
                            + ".");
        }
        List<GcEvent> first = copying.subList(0, early);
        List<GcEvent> late = copying.subList(copying.size() - early, copying.size());
        double before = median(first);
        double after = median(late);
        double lost = Situation.pauseMillis(first) * (1 - after / before);
        if (before <= MUCH_SLOWER * after || lost < LEAST_MILLIS) {
            return Verdict.quiet(
                    this,
                    "The first collections took "
                            + Text.number(before)
                            + " ms for each MiB that they copied, the last ones "
                            + Text.number(after)
                            + ".");
        }
        return new FindingBuilder(
                        this,
                        s,
                        Severity.INFO,
                        "The first "
                                + Text.count(early, "collection was", "collections were")
                                + " slowed down by pages that were new")
                .window(first.get(0).atMillis(), first.get(early - 1).endMillis())
                .evidence(
                        "touch.cost",
                        before / Math.max(after, 0.001),
                        "times",
                        "They took "
                                + Text.number(before)
                                + " ms for each MiB that they copied, later ones "
                                + Text.number(after)
                                + ": "
                                + Text.millis(lost)
                                + " in total.")
                .advice(
                        Advice.Kind.FLAG,
                        "If these pauses matter, -XX:+AlwaysPreTouch moves them to the start, which"
                                + " then takes longer.")
                .refutedBy("With -XX:+AlwaysPreTouch the first collections are as slow.")
                .fired();
    }

    /** Pauses that copied something, of the whole timeline. */
    private static List<GcEvent> copying(Situation s) {
        List<GcEvent> copying = new ArrayList<>();
        for (GcEvent c : s.timeline().collections()) {
            if (c.kind() == CollectionKind.YOUNG_PAUSE && megabytes(c) >= LEAST_MEGABYTES) {
                copying.add(c);
            }
        }
        return copying;
    }

    /** What a young pause copied: what is young after it, and what it promoted. */
    private static double megabytes(GcEvent c) {
        return (Math.max(c.youngAfter(), 0) + Math.max(c.oldAfter() - c.oldBefore(), 0)) / MB;
    }

    private static double median(List<GcEvent> collections) {
        return Trend.of(
                        collections.stream()
                                .mapToDouble(c -> c.durationMillis() / megabytes(c))
                                .toArray())
                .median();
    }
}
