// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

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

    /** Bitmaps, cards and remembered sets take a smaller part of the heap. */
    private static final long OF_HEAP = 16;

    private static final double GOES_ON = 0.25;

    static void find(Situation s, Facts f) {
        List<Tick> ticks = new ArrayList<>();
        boolean isMeasured = isMeasured(s.timeline().ticks());
        long started = s.startedMillis();
        for (Tick tick : s.timeline().ticks()) {
            boolean isKnown = isMeasured ? isMeasured(tick) : tick.resident() > 0;
            if (tick.atMillis() >= started && isKnown) {
                ticks.add(tick);
            }
        }
        f.count("looks", ticks.size()).is("few", ticks.size() < LEAST_TICKS);
        if (ticks.size() < LEAST_TICKS) {
            return;
        }
        Tick last = ticks.get(ticks.size() - 1);
        Trend rest = Trend.over(ticks, tick -> unaccounted(tick, isMeasured));
        double rise = rest.rise() - ofHeap(s, ticks.get(0), isMeasured);
        long span = last.atMillis() - ticks.get(0).atMillis();
        boolean isRising =
                span >= LEAST_MILLIS
                        && rise >= SOME
                        && rest.correlation() >= RISING
                        && rest.recent().rise() >= GOES_ON * rest.rise();
        f.bytes("native.growth", rise).span("span", (double) span);
        if (f.fires(isRising, rise >= MUCH)) {
            NamedSites owners = NamedSites.owners(s, "this memory");
            f.window(ticks.get(0).atMillis(), last.atMillis());
            f.sites(owners).is("of.classes", isOfClasses(s, rise));
            f.bytes("resident", last.resident()).bytes("heap", last.heapUsed());
            f.bytes("direct", Math.max(last.directUsed(), 0));
            f.count("sites", owners.sites().size());
        }
    }

    /** Classes take less than twice as much outside of metaspace as in it. */
    private static boolean isOfClasses(Situation s, double rise) {
        return rise <= 2.0 * ClassRules.Figures.of(s.ticks()).mostMetaspace();
    }

    private static boolean isMeasured(List<Tick> ticks) {
        return !ticks.isEmpty() && isMeasured(ticks.get(ticks.size() - 1));
    }

    private static boolean isMeasured(Tick tick) {
        return tick.unaccounted() != Tick.UNMEASURED;
    }

    /** Resident memory that is neither of files nor of what the JVM accounts for. */
    private static double unaccounted(Tick tick, boolean isMeasured) {
        long classes = BYTES_PER_CLASS * (tick.classesLoaded() - tick.classesUnloaded());
        long files = Math.max(tick.residentFile(), 0);
        long other = isMeasured ? tick.unaccounted() : tick.resident() - files - tick.accounted();
        return (double) (other - classes);
    }

    /**
     * How much of a growth may be that of the heap, if its resident memory cannot be measured: the
     * part that was not in use at the beginning, and what collectors keep about it.
     */
    private static long ofHeap(Situation s, Tick first, boolean isMeasured) {
        boolean isTouched = s.settings().isOn("AlwaysPreTouch");
        long untouched = isTouched ? 0 : first.heapCommitted() - first.heapUsed();
        return isMeasured ? 0 : untouched + s.settings().maxHeap() / OF_HEAP;
    }
}
