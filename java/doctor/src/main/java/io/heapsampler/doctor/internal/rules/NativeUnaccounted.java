// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.OffHeap;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Trend;
import java.util.ArrayList;
import java.util.List;

/**
 * The process grows by memory of which the JVM knows nothing: of native libraries, such as those
 * that compress.
 */
public final class NativeUnaccounted implements Rule {

    /** What the JVM allocates outside of metaspace for a class: names, and its Java object. */
    private static final long BYTES_PER_CLASS = 6 << 10;

    private static final long LEAST_MILLIS = 15_000;
    private static final int LEAST_TICKS = 10;
    private static final long SOME = 24 << 20;
    private static final long MUCH = 64 << 20;

    /** With this share of rising pairs, most pairs of the later half also rise. */
    private static final double RISING = 0.9;

    private static final double GOES_ON = 0.25;

    @Override
    public String id() {
        return "native.unaccounted";
    }

    @Override
    public Verdict judge(Situation s) {
        List<Tick> ticks = known(s.timeline().ticks());
        if (ticks.size() < LEAST_TICKS) {
            return Verdict.hidden(
                    this,
                    "It takes "
                            + LEAST_TICKS
                            + " looks at the resident memory after the first "
                            + Text.span(StartUp.LEAST_MILLIS)
                            + "; there were "
                            + ticks.size()
                            + ".");
        }
        Trend rest = Trend.over(ticks, unaccounted(s, ticks));
        long span = ticks.get(ticks.size() - 1).atMillis() - ticks.get(0).atMillis();
        boolean isRising =
                span >= LEAST_MILLIS
                        && rest.rise() >= SOME
                        && rest.correlation() >= RISING
                        && rest.recent().rise() >= GOES_ON * rest.rise();
        if (!isRising) {
            return Verdict.quiet(
                    this,
                    "Resident memory that the JVM does not account for changed by "
                            + Text.bytes(rest.rise())
                            + " in "
                            + Text.span(span)
                            + "; it takes a steady growth of "
                            + Text.bytes(SOME)
                            + ".");
        }
        return finding(s, ticks, rest, span);
    }

    private Verdict finding(Situation s, List<Tick> ticks, Trend rest, long span) {
        Tick last = ticks.get(ticks.size() - 1);
        List<SiteEvidence> owners = OffHeap.owners(s.sites());
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        rest.rise() >= MUCH ? Severity.WARNING : Severity.INFO,
                        "The process grew by "
                                + Text.bytes(rest.rise())
                                + " that the JVM does not account for");
        finding.window(ticks.get(0).atMillis(), last.atMillis());
        finding.evidence(
                "native.growth",
                rest.rise(),
                "bytes",
                "Resident memory less what the JVM accounts for rose by "
                        + Text.bytes(rest.rise())
                        + " in "
                        + Text.span(span)
                        + ", and still does.");
        finding.evidence(
                "resident",
                last.resident(),
                "bytes",
                "The process has "
                        + Text.bytes(last.resident())
                        + "; of the heap "
                        + Text.bytes(last.heapUsed())
                        + " are in use, direct buffers have "
                        + Text.bytes(Math.max(last.directUsed(), 0))
                        + ".");
        if (owners.isEmpty()) {
            finding.evidence(
                    "sites",
                    0L,
                    "count",
                    "No owner of native memory was sampled: they are small. A closer look samples"
                            + " more often for a while.");
        }
        return finding.sites(NamedSites.owning(owners, "this memory"))
                .advice(
                        Advice.Kind.CODE,
                        "Close what owns native memory: streams that compress, inflaters, native"
                                + " handles"
                                + (owners.isEmpty() ? "." : "; the sites named make most of them."))
                .refutedBy("It stops growing: pools of native memory do, once they are filled.")
                .refutedBy(
                        "jcmd VM.native_memory (needs -XX:NativeMemoryTracking) shows the growth in"
                                + " a part of the JVM.")
                .fired();
    }

    private static List<Tick> known(List<Tick> ticks) {
        List<Tick> known = new ArrayList<>();
        int started = StartUp.end(ticks);
        for (Tick tick : ticks.subList(started, ticks.size())) {
            if (tick.resident() > 0 && tick.accounted() > 0) {
                known.add(tick);
            }
        }
        return known;
    }

    /**
     * Resident memory that is neither of files nor of what the JVM accounts for. Of the heap those
     * pages are resident that were used at some time: each generation at its largest, and what the
     * heap was enlarged by, since G1 moves its young generation there. ZGC and Shenandoah use all
     * of it in turn.
     */
    private static double[] unaccounted(Situation s, List<Tick> ticks) {
        double[] rest = new double[ticks.size()];
        List<GcEvent> collections = s.timeline().collections();
        boolean isTouched = s.settings().isOn("AlwaysPreTouch") || s.isConcurrent();
        long old = 0;
        long young = 0;
        int next = 0;
        for (int i = 0; i < rest.length; i++) {
            Tick tick = ticks.get(i);
            old = Math.max(old, tick.oldUsed());
            young = Math.max(young, tick.heapUsed() - tick.oldUsed());
            for (;
                    next < collections.size()
                            && collections.get(next).atMillis() <= tick.atMillis();
                    next++) {
                GcEvent c = collections.get(next);
                old = Math.max(old, Math.max(c.oldBefore(), c.oldAfter()));
                young = Math.max(young, c.heapBefore() - c.oldBefore());
            }
            long enlarged = Math.max(tick.heapCommitted() - ticks.get(0).heapCommitted(), 0);
            long used = Math.min(old + young + enlarged, tick.heapCommitted());
            long heap = isTouched ? tick.heapCommitted() : used;
            long classes = BYTES_PER_CLASS * (tick.classesLoaded() - tick.classesUnloaded());
            rest[i] =
                    (double)
                            (tick.resident()
                                    - Math.max(tick.residentFile(), 0)
                                    - (tick.accounted() - tick.heapCommitted() + heap)
                                    - classes);
        }
        return rest;
    }
}
