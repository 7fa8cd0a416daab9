// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.GarbageCollector;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.ArrayList;
import java.util.List;

/**
 * Classes in a time, and the rules that count them.
 *
 * @param metaspace metaspace in use at the end, in bytes
 * @param mostMetaspace metaspace committed at most, to which the limit applies; with many loaders
 *     that is far more than is in use
 * @param from the tick before the first of these classes was loaded or unloaded, milliseconds since
 *     1970
 * @param to the tick after the last one
 */
record ClassFigures(
        long loaded, long unloaded, long metaspace, long mostMetaspace, long from, long to) {

    private static final long MANY = 1000;
    private static final double MOSTLY = 0.5;

    /** Of the heap, in a cycle of Shenandoah for metaspace, which has grown by so much. */
    private static final double LITTLE_IN_USE = 0.25;

    private static final double HAS_GROWN = 0.05;

    private static final String TEXT =
            "{classes class was|classes were} loaded and {unloaded} unloaded; metaspace took up to"
                    + " {most}, and {metaspace} are in use.";

    /** Classes are loaded and unloaded again all the time, as those of scripts are: no leak. */
    static final TableRule CHURN =
            new TableRule(
                    """
                    class.churn
                    similar metaspace.leak
                    quiet {text}
                    title {classes class was|classes were} loaded and {share} of them unloaded again
                    classes.loaded {text}
                    classes.unloaded Metaspace gets their memory back.
                    CODE If these collections matter, keep generated classes instead of generating \
                    them again: scripts, mappers, proxies.
                    wrong Metaspace grows after collections: then it is a leak.
                    """,
                    ClassFigures::churn);

    /** Metaspace reaches its threshold again and again while the application loads its classes. */
    static final TableRule RESIZE =
            new TableRule(
                    """
                    metaspace.resize
                    because metaspace.leak
                    similar metaspace.leak class.churn
                    quiet?churn Most of the classes were unloaded again, so it is churn and no \
                    growth.
                    quiet {times collection|collections} because metaspace had reached its \
                    threshold; one or two at the start are usual.
                    title Metaspace reached its threshold {times time|times} while classes were \
                    loaded
                    metaspace.thresholds!shenandoah {times collection|collections} with the cause \
                    Metadata GC Threshold.
                    metaspace.thresholds?shenandoah {times collection|collections} began when \
                    metaspace had grown and little of the heap was in use; the collector gives no \
                    cause.
                    classes.loaded {text}
                    CODE?leak Read metaspace.leak first: where class loaders are kept, metaspace \
                    reaches any threshold.
                    FLAG!leak If these collections matter, set -XX:MetaspaceSize to the size in \
                    use once all classes are loaded ({now} now).
                    wrong Metaspace goes on growing: then it is a leak.
                    """,
                    ClassFigures::resize);

    static ClassFigures of(Situation s) {
        return of(s.ticks());
    }

    /** The same of another time. */
    static ClassFigures between(Situation s, long fromMillis, long toMillis) {
        return of(
                s.timeline().ticks().stream()
                        .filter(t -> t.atMillis() >= fromMillis && t.atMillis() <= toMillis)
                        .toList());
    }

    private static ClassFigures of(List<Tick> ticks) {
        if (ticks.isEmpty()) {
            return new ClassFigures(0, 0, 0, 0, 0, 0);
        }
        Tick first = ticks.get(0);
        Tick last = ticks.get(ticks.size() - 1);
        long most = 0;
        long from = last.atMillis();
        long to = first.atMillis();
        Tick before = first;
        for (Tick tick : ticks) {
            most = Math.max(most, tick.metaspaceCommitted());
            if (tick.classesLoaded() != before.classesLoaded()
                    || tick.classesUnloaded() != before.classesUnloaded()) {
                from = Math.min(from, before.atMillis());
                to = tick.atMillis();
            }
            before = tick;
        }
        long loaded = last.classesLoaded() - first.classesLoaded();
        long unloaded = last.classesUnloaded() - first.classesUnloaded();
        return new ClassFigures(loaded, unloaded, last.metaspaceUsed(), most, from, to);
    }

    /** Returns a value from 0 to 1, or more if older classes were also unloaded. */
    double unloadedShare() {
        return loaded <= 0 ? 0 : (double) unloaded / loaded;
    }

    /** Adds the figures, and a sentence with them that is named {@code text}. */
    void tell(Facts f) {
        f.count("classes", loaded).count("unloaded", unloaded);
        f.bytes("metaspace", metaspace).bytes("most", mostMetaspace).text("text", f.in(TEXT));
    }

    private static void churn(Situation s, Facts f) {
        ClassFigures it = of(s);
        it.tell(f);
        if (f.fires(it.unloaded >= MANY && it.unloadedShare() >= MOSTLY, false)) {
            f.window(it.from, it.to).share("share", Math.min(it.unloadedShare(), 1));
            f.count("classes.loaded", it.loaded).count("classes.unloaded", it.unloaded);
            f.sites(NamedSites.loaders(s));
        }
    }

    private static void resize(Situation s, Facts f) {
        List<GcEvent> thresholds = thresholds(s);
        boolean isOften = thresholds.size() >= CollectorRules.EVENTS;
        ClassFigures it = of(s);
        boolean isChurn = it.unloadedShare() > MOSTLY;
        it.tell(f);
        f.is("churn", isOften && isChurn).count("times", thresholds.size());
        if (f.fires(isOften && !isChurn, false)) {
            GcEvent last = thresholds.get(thresholds.size() - 1);
            f.during(thresholds, List.of()).count("metaspace.thresholds", thresholds.size());
            f.count("classes.loaded", it.loaded).is("shenandoah", isShenandoah(s));
            f.bytes("now", Math.max(last.metaspaceAfter(), it.metaspace));
            f.is("leak", MetaspaceLeak.RULE.judge(s).finding() != null);
        }
    }

    /** Collections because metaspace had reached its threshold. */
    private static List<GcEvent> thresholds(Situation s) {
        List<GcEvent> thresholds = new ArrayList<>();
        double metaspace = 0;
        for (GcEvent c : s.recent()) {
            if (c.kind() != CollectionKind.PHASE_PAUSE) {
                if (c.cause().equals("Metadata GC Threshold")
                        || (isShenandoah(s) && isForNothingElse(s, c, metaspace))) {
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
