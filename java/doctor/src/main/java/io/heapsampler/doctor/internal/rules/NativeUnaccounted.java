// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.SiteFigures;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.Trend;
import java.util.ArrayList;
import java.util.List;

/**
 * The process grows by memory of which the JVM knows nothing: of native libraries, such as those
 * that compress.
 */
final class NativeUnaccounted {

    /** What the JVM allocates outside of metaspace for a class: names, and its Java object. */
    private static final long BYTES_PER_CLASS = 6 << 10;

    private static final long LEAST_MILLIS = 15_000;
    private static final int LEAST_TICKS = 10;
    private static final long SOME = 24 << 20;
    private static final long MUCH = 64 << 20;

    /** With this share of rising pairs, most pairs of the later half also rise. */
    private static final double RISING = 0.9;

    private static final double GOES_ON = 0.25;

    static final TableRule RULE =
            new TableRule(
                    """
                    native.unaccounted
                    hidden?few It takes 10 looks at the resident memory after the start-up; there \
                    were {looks}.
                    quiet Resident memory that the JVM does not account for changed by \
                    {native.growth} in {span}; it takes a steady growth of 24 MiB.
                    title The process grew by {native.growth} that the JVM does not account for
                    native.growth Resident memory less what the JVM accounts for rose by \
                    {native.growth} in {span}, and still does.
                    resident The process has {resident}; of the heap {heap} are in use, direct \
                    buffers have {direct}.
                    sites No owner of native memory was sampled: they are small. A closer look \
                    samples more often for a while.
                    CODE?sites.known Close what owns native memory: streams that compress, \
                    inflaters, native handles; the sites named make most of them.
                    CODE!sites.known Close what owns native memory: streams that compress, inflaters, native \
                    handles.
                    wrong It stops growing: pools of native memory do, once they are filled.
                    wrong jcmd VM.native_memory (needs -XX:NativeMemoryTracking) shows the growth \
                    in a part of the JVM.
                    """,
                    NativeUnaccounted::find);

    private NativeUnaccounted() {}

    private static void find(Situation s, Facts f) {
        List<Tick> ticks = new ArrayList<>();
        long started = s.startedMillis();
        for (Tick tick : s.timeline().ticks()) {
            if (tick.atMillis() >= started && tick.resident() > 0 && tick.accounted() > 0) {
                ticks.add(tick);
            }
        }
        f.count("looks", ticks.size()).is("few", ticks.size() < LEAST_TICKS);
        if (ticks.size() < LEAST_TICKS) {
            return;
        }
        Tick last = ticks.get(ticks.size() - 1);
        Trend rest = Trend.over(ticks, unaccounted(s, ticks));
        long span = last.atMillis() - ticks.get(0).atMillis();
        boolean isRising =
                span >= LEAST_MILLIS
                        && rest.rise() >= SOME
                        && rest.correlation() >= RISING
                        && rest.recent().rise() >= GOES_ON * rest.rise();
        f.bytes("native.growth", rest.rise()).span("span", (double) span);
        if (f.fires(isRising, rest.rise() >= MUCH)) {
            List<SiteEvidence> owners = SiteFigures.owners(s.sites());
            f.window(ticks.get(0).atMillis(), last.atMillis());
            f.sites(NamedSites.owning(owners, "this memory"));
            f.bytes("resident", last.resident()).bytes("heap", last.heapUsed());
            f.bytes("direct", Math.max(last.directUsed(), 0));
            if (owners.isEmpty()) {
                f.count("sites", 0);
            }
        }
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
            while (next < collections.size()
                    && collections.get(next).atMillis() <= tick.atMillis()) {
                GcEvent c = collections.get(next++);
                old = Math.max(old, Math.max(c.oldBefore(), c.oldAfter()));
                young = Math.max(young, c.heapBefore() - c.oldBefore());
            }
            long committed = tick.heapCommitted();
            long enlarged = Math.max(committed - ticks.get(0).heapCommitted(), 0);
            long heap = isTouched ? committed : Math.min(old + young + enlarged, committed);
            long classes = BYTES_PER_CLASS * (tick.classesLoaded() - tick.classesUnloaded());
            long known = tick.accounted() - committed + heap + classes;
            rest[i] = (double) (tick.resident() - Math.max(tick.residentFile(), 0) - known);
        }
        return rest;
    }
}
