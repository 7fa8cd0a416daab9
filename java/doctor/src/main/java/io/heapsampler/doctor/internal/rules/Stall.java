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

/** Threads had to wait for memory that ZGC had not freed yet. */
public final class Stall implements Rule {

    private static final int EVENTS = 3;

    @Override
    public String id() {
        return "gc.stall";
    }

    @Override
    public Verdict judge(Situation s) {
        List<JvmEvent> stalls = s.events("ZAllocationStall");
        List<GcEvent> cycles =
                s.recent(c -> Causes.isStall(c.cause()) && c.kind() != CollectionKind.PHASE_PAUSE);
        if (stalls.size() < EVENTS && cycles.size() < EVENTS) {
            boolean isZ = s.collectorText().contains("ZGC");
            return isZ
                    ? Verdict.quiet(
                            this,
                            Text.count(stalls.size(), "stall", "stalls")
                                    + " and "
                                    + Text.count(cycles.size(), "cycle", "cycles")
                                    + " with the cause Allocation Stall; it takes "
                                    + EVENTS
                                    + ".")
                    : Verdict.hidden(this, "Only ZGC reports stalled allocations.");
        }
        double millis = 0;
        for (JvmEvent stall : stalls) {
            millis += stall.durationMillis();
        }
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        Severity.WARNING,
                        "Threads waited for memory: "
                                + (stalls.isEmpty()
                                        ? Text.count(cycles.size(), "cycle", "cycles")
                                                + " began because of it"
                                        : Text.count(stalls.size(), "time", "times")
                                                + ", "
                                                + Text.millis(millis)
                                                + " in total"));
        finding.during(cycles, stalls);
        finding.evidence(
                "stall.cycles",
                cycles.size(),
                "count",
                Text.count(cycles.size(), "cycle", "cycles") + " with the cause Allocation Stall.");
        finding.evidence(
                "stall.time",
                millis,
                "ms",
                stalls.isEmpty()
                        ? "The waiting time of threads is not known: Flight Recorder reports no"
                                + " stall."
                        : "Threads waited "
                                + Text.millis(millis)
                                + " in total, "
                                + Text.millis(millis / stalls.size())
                                + " each on average.");
        return finding.sites(Makers.during(s))
                .advice(
                        Advice.Kind.CODE,
                        "Allocate less per second, first at the sites named, or keep less; a larger"
                                + " heap gives the collector more time.")
                .refutedBy("With twice the heap threads wait as often.")
                .fired();
    }
}
