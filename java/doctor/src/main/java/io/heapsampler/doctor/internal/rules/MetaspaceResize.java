// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.GarbageCollector;
import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import java.util.ArrayList;
import java.util.List;

/** Metaspace reaches its threshold again and again while the application loads its classes. */
public final class MetaspaceResize implements Rule {

    private static final int EVENTS = 3;

    private static final double LITTLE_IN_USE = 0.25;
    private static final double HAS_GROWN = 0.05;

    /** If more of the classes are unloaded, it is churn. */
    private static final double MOSTLY_STAY = 0.5;

    @Override
    public String id() {
        return "metaspace.resize";
    }

    @Override
    public Verdict judge(Situation s) {
        List<GcEvent> thresholds = thresholds(s);
        if (thresholds.size() < EVENTS) {
            return Verdict.quiet(
                    this,
                    Text.count(thresholds.size(), "collection", "collections")
                            + " because metaspace had reached its threshold; one or two at the"
                            + " start are usual.");
        }
        ClassFigures classes = ClassFigures.of(s);
        if (classes.unloadedShare() > MOSTLY_STAY) {
            return Verdict.quiet(
                    this, "Most of the classes were unloaded again, so it is churn and no growth.");
        }
        GcEvent last = thresholds.get(thresholds.size() - 1);
        return new FindingBuilder(
                        this,
                        s,
                        Severity.INFO,
                        "Metaspace reached its threshold "
                                + Text.count(thresholds.size(), "time", "times")
                                + " while classes were loaded")
                .window(thresholds.get(0).atMillis(), last.endMillis())
                .evidence(
                        "metaspace.thresholds",
                        thresholds.size(),
                        "count",
                        Text.count(thresholds.size(), "collection", "collections")
                                + (isShenandoah(s)
                                        ? " began when metaspace had grown and little of the heap"
                                                + " was in use; the collector gives no cause."
                                        : " with the cause Metadata GC Threshold."))
                .evidence("classes.loaded", classes.loaded(), "count", classes.text())
                .advice(
                        Advice.Kind.FLAG,
                        "If these collections matter, set -XX:MetaspaceSize to the size in use once"
                                + " all classes are loaded ("
                                + Text.bytes(Math.max(last.metaspaceAfter(), classes.metaspace()))
                                + " now).")
                .refutedBy("Metaspace goes on growing: then it is a leak.")
                .fired();
    }

    private static List<GcEvent> thresholds(Situation s) {
        List<GcEvent> thresholds = new ArrayList<>();
        double metaspace = 0;
        for (GcEvent c : s.recent()) {
            if (c.kind() != CollectionKind.PHASE_PAUSE) {
                boolean isTold = c.cause().equals("Metadata GC Threshold");
                if (isTold || (isShenandoah(s) && isForNothingElse(s, c, metaspace))) {
                    thresholds.add(c);
                }
                metaspace = (double) c.metaspaceAfter();
            }
        }
        return thresholds;
    }

    private static boolean isShenandoah(Situation s) {
        GarbageCollector collector = s.settings().collector();
        return collector == GarbageCollector.SHENANDOAH
                || collector == GarbageCollector.SHENANDOAH_GENERATIONAL;
    }

    /**
     * Shenandoah says of these what it says of all its cycles. By itself it begins one when 30 % of
     * the heap is in use, or later.
     */
    private static boolean isForNothingElse(Situation s, GcEvent c, double metaspaceBefore) {
        return c.cause().equals("Concurrent GC")
                && (double) c.heapBefore() < LITTLE_IN_USE * s.settings().maxHeap()
                && c.metaspaceBefore() > (1 + HAS_GROWN) * metaspaceBefore;
    }
}
