// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import java.util.Comparator;
import java.util.List;

/** One pause took longer than the service may wait, and why. */
public final class LongPause implements Rule {

    /** With the default limit, this many pauses must exceed it, or one by far. */
    private static final int EVENTS = 3;

    private static final double FATAL_MILLIS = 1000;

    @Override
    public String id() {
        return "pause.long";
    }

    @Override
    public Verdict judge(Situation s) {
        double limit = s.slo().pauseMaxMillis();
        List<GcEvent> pauses = s.recent(c -> c.kind().isPause());
        List<GcEvent> over =
                pauses.stream()
                        .filter(c -> c.durationMillis() > limit)
                        .sorted(Comparator.comparingDouble(GcEvent::durationMillis).reversed())
                        .toList();
        if (over.isEmpty()) {
            double longest = 0;
            for (GcEvent c : pauses) {
                longest = Math.max(longest, c.durationMillis());
            }
            return Verdict.quiet(
                    this,
                    "The longest of "
                            + Text.count(pauses.size(), "pause", "pauses")
                            + " took "
                            + Text.millis(longest)
                            + "; the limit is "
                            + Text.millis(limit)
                            + (s.slo().isDefault() ? ", which is the default." : "."));
        }
        List<GcEvent> fair = over.stream().filter(c -> s.fairMillis(c) > limit).toList();
        return finding(s, fair.isEmpty() ? over : fair, explained(s, fair.isEmpty() ? over : fair));
    }

    /**
     * Flight Recorder is opened only once there is a problem, so earlier pauses have no details. If
     * nothing else explains the longest pause, the longest pause of its kind with details is used.
     */
    private static GcEvent explained(Situation s, List<GcEvent> over) {
        GcEvent longest = over.get(0);
        if (PauseReason.of(s, longest) != PauseReason.UNKNOWN) {
            return longest;
        }
        return over.stream()
                .filter(c -> c.kind() == longest.kind() && c.bean().equals(longest.bean()))
                .filter(c -> PauseReason.isDetailed(s, c))
                .findFirst()
                .orElse(longest);
    }

    private Verdict finding(Situation s, List<GcEvent> over, GcEvent explained) {
        GcEvent longest = over.get(0);
        PauseReason reason = PauseReason.of(s, explained);
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        severity(s, over, reason),
                        "A pause took "
                                + Text.millis(longest.durationMillis())
                                + ": "
                                + reason.title());
        finding.window(longest.atMillis(), longest.endMillis());
        finding.evidence(
                "pause.max",
                longest.durationMillis(),
                "ms",
                longest.bean()
                        + ", "
                        + longest.cause()
                        + ": "
                        + Text.millis(longest.durationMillis())
                        + "; the limit is "
                        + Text.millis(s.slo().pauseMaxMillis())
                        + (s.slo().isDefault() ? " (default)." : "."));
        finding.evidence(
                "pause.count",
                over.size(),
                "count",
                Text.count(over.size(), "pause was", "pauses were") + " over the limit.");
        if (!explained.equals(longest)) {
            tellOther(explained, finding);
        }
        reason.tell(s, explained, finding);
        return finding.fired();
    }

    private static void tellOther(GcEvent explained, FindingBuilder finding) {
        finding.evidence(
                "pause.explained",
                explained.durationMillis(),
                "ms",
                "Flight Recorder has not reported the parts of the longest one. The next lines"
                        + " describe a pause of "
                        + Text.millis(explained.durationMillis())
                        + " of the same kind.");
    }

    /** If the collector lacked processors, the finding is information and no warning. */
    private static Severity severity(Situation s, List<GcEvent> over, PauseReason reason) {
        if (reason == PauseReason.STARVED) {
            return Severity.INFO;
        }
        boolean isAgreed = !s.slo().isDefault();
        boolean isFatal = s.fairMillis(over.get(0)) >= FATAL_MILLIS;
        boolean isOften = over.size() >= EVENTS && reason != PauseReason.UNKNOWN;
        return isAgreed || isFatal || isOften ? Severity.WARNING : Severity.INFO;
    }
}
