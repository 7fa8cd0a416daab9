// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import java.util.List;

/**
 * A collector that works beside the application could not keep up, and stopped it for the rest:
 * degenerated and full collections of Shenandoah, full ones of G1, failed promotions elsewhere.
 */
public final class Degenerated implements Rule {

    private static final int EVENTS = 3;

    @Override
    public String id() {
        return "gc.degenerated";
    }

    @Override
    public Verdict judge(Situation s) {
        List<GcEvent> given = givenUp(s);
        List<JvmEvent> failed = s.events("PromotionFailed");
        int events = given.size() + (s.isConcurrent() || s.isG1() ? 0 : failed.size());
        boolean isFull =
                s.isConcurrent()
                        && given.stream().anyMatch(c -> c.kind() == CollectionKind.FULL_PAUSE);
        if (events < EVENTS && !isFull) {
            return quiet(s, events);
        }
        double share = s.worstPauseShare(given);
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        Severity.WARNING,
                        events == failed.size() && given.isEmpty()
                                ? "Promotion failed " + Text.count(events, "time", "times")
                                : "The collector gave up its concurrent way "
                                        + Text.count(given.size(), "time", "times"));
        finding.during(given, failed);
        if (!given.isEmpty()) {
            finding.evidence(
                    "degenerated.count",
                    given.size(),
                    "count",
                    Text.count(given.size(), "pause", "pauses")
                            + " of "
                            + Text.millis(Situation.pauseMillis(given))
                            + " in total, "
                            + Text.share(share)
                            + " of the worst minute.");
        }
        if (!failed.isEmpty()) {
            finding.evidence(
                    "promotion.failed",
                    failed.size(),
                    "count",
                    Text.count(failed.size(), "promotion", "promotions")
                            + " found no room in the old generation.");
        }
        return finding.sites(Makers.during(s))
                .advice(
                        Advice.Kind.CODE,
                        "Allocate less per second or keep less: the application allocates memory"
                                + " faster than the collector frees it. A larger heap gives the"
                                + " collector more time.")
                .refutedBy("With twice the heap it happens as often.")
                .fired();
    }

    private Verdict quiet(Situation s, int events) {
        return Verdict.quiet(
                this,
                s.isConcurrent() || s.isG1()
                        ? Text.count(events, "collection", "collections")
                                + " that gave up the concurrent way; it takes "
                                + EVENTS
                                + "."
                        : Text.count(events, "promotion", "promotions")
                                + " failed; it takes "
                                + EVENTS
                                + ".");
    }

    /** What stopped the application although the collector tries not to. */
    private static List<GcEvent> givenUp(Situation s) {
        return s.recent(
                c ->
                        (c.kind() == CollectionKind.DEGENERATED_PAUSE
                                        || c.kind() == CollectionKind.FULL_PAUSE)
                                && (s.isConcurrent() || s.isG1())
                                && Causes.isForSpace(c.cause()));
    }
}
