// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.ArrayList;
import java.util.List;

/**
 * Classes in the last ten minutes, or in another time.
 *
 * @param loaded how many were loaded
 * @param unloaded how many were unloaded
 * @param metaspace metaspace in use at the end, in bytes
 * @param mostMetaspace metaspace committed at most, to which the limit applies; with many loaders
 *     that is far more than is in use
 * @param from when the first of these classes was loaded or unloaded, to the tick before it,
 *     milliseconds since 1970
 * @param to when the last one was, to the tick after it
 */
record ClassFigures(
        long loaded, long unloaded, long metaspace, long mostMetaspace, long from, long to) {

    static ClassFigures of(Situation s) {
        return of(s.ticks());
    }

    /** The same of another time, by a loop: where metaspace is full, no lambda can be linked. */
    static ClassFigures between(Situation s, long fromMillis, long toMillis) {
        List<Tick> ticks = new ArrayList<>();
        for (Tick tick : s.timeline().ticks()) {
            if (tick.atMillis() >= fromMillis && tick.atMillis() <= toMillis) {
                ticks.add(tick);
            }
        }
        return of(ticks);
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
            if (isOtherThan(before, tick)) {
                from = Math.min(from, before.atMillis());
                to = tick.atMillis();
            }
            before = tick;
        }
        return new ClassFigures(
                last.classesLoaded() - first.classesLoaded(),
                last.classesUnloaded() - first.classesUnloaded(),
                last.metaspaceUsed(),
                most,
                from,
                to);
    }

    private static boolean isOtherThan(Tick before, Tick tick) {
        return tick.classesLoaded() != before.classesLoaded()
                || tick.classesUnloaded() != before.classesUnloaded();
    }

    /** Returns a value from 0 to 1, or more if older classes were also unloaded. */
    double unloadedShare() {
        return loaded <= 0 ? 0 : (double) unloaded / loaded;
    }

    String text() {
        return Text.count(loaded, "class was", "classes were")
                + " loaded and "
                + Text.count(unloaded, "unloaded", "unloaded")
                + "; metaspace has "
                + Text.bytes(metaspace)
                + ".";
    }
}
