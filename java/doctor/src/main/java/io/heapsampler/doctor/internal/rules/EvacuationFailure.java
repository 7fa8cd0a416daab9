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
import java.util.ArrayList;
import java.util.List;

/**
 * G1 found no room to copy live objects to. This makes the pause a little longer. If no room is
 * left at all, it costs a pause for the whole heap.
 */
public final class EvacuationFailure implements Rule {

    private static final int EVENTS = 3;

    /** From one a minute on they cost something, even if the whole heap is never collected. */
    private static final int MANY = 10;

    /** A young collection that frees less has failed to. */
    private static final double LITTLE_FREED = 0.05;

    @Override
    public String id() {
        return "gc.evacuation-failure";
    }

    @Override
    public Verdict judge(Situation s) {
        if (!s.isG1()) {
            return Verdict.hidden(
                    this, s.collectorText() + " has none; it has gc.degenerated instead.");
        }
        List<JvmEvent> failed = s.events("EvacuationFailed");
        List<GcEvent> inVain = inVain(s);
        int byBeans = inVain.size();
        if (failed.size() < EVENTS && byBeans < EVENTS) {
            return Verdict.quiet(
                    this,
                    Text.count(failed.size(), "event", "events")
                            + " of Flight Recorder, and "
                            + Text.count(byBeans, "full collection", "full collections")
                            + " right after a young one that freed nothing; it takes "
                            + EVENTS
                            + ".");
        }
        List<GcEvent> fulls =
                s.recent(
                        c -> c.kind() == CollectionKind.FULL_PAUSE && Causes.isForSpace(c.cause()));
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        fulls.isEmpty() && failed.size() < MANY ? Severity.INFO : Severity.WARNING,
                        "G1 had no room to copy live objects to, "
                                + Text.count(Math.max(failed.size(), byBeans), "time", "times"));
        finding.evidence(
                "evacuation.failed",
                failed.size(),
                "count",
                failed.isEmpty()
                        ? "Flight Recorder reports none; "
                                + Text.count(byBeans, "young collection", "young collections")
                                + " freed less than "
                                + Text.share(LITTLE_FREED)
                                + " and a full one came right after."
                        : Text.count(failed.size(), "event", "events")
                                + " EvacuationFailed of Flight Recorder.");
        finding.evidence(
                "full.count",
                fulls.size(),
                "count",
                Text.count(fulls.size(), "full collection", "full collections")
                        + " took "
                        + Text.millis(Situation.pauseMillis(fulls))
                        + ".");
        List<GcEvent> all = new ArrayList<>(inVain);
        all.addAll(fulls);
        return finding.during(all, failed)
                .sites(Makers.holders(s))
                .advice(
                        Advice.Kind.CODE,
                        "Keep less, or enlarge the heap: G1 needs free regions to copy live"
                                + " objects to.")
                .refutedBy("With twice the heap it happens as often.")
                .fired();
    }

    /** Young collections that freed next to nothing, with a full one right after. */
    private static List<GcEvent> inVain(Situation s) {
        List<GcEvent> found = new ArrayList<>();
        GcEvent before = null;
        for (GcEvent c : s.recent()) {
            boolean isFull = c.kind() == CollectionKind.FULL_PAUSE && Causes.isForSpace(c.cause());
            if (isFull && before != null && before.kind() == CollectionKind.YOUNG_PAUSE) {
                double freed = before.heapBefore() - before.heapAfter();
                if (freed < LITTLE_FREED * before.heapBefore()) {
                    found.add(before);
                }
            }
            before = c;
        }
        return found;
    }
}
