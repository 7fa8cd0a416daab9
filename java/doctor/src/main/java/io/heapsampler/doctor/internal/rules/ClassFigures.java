// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Tick;
import io.heapsampler.doctor.internal.text.Text;
import java.util.List;

/**
 * Classes in the last ten minutes, or in another time.
 *
 * @param loaded how many were loaded
 * @param unloaded how many were unloaded
 * @param metaspace metaspace in use at the end, in bytes
 * @param mostMetaspace metaspace committed at most, to which the limit applies; with many loaders
 *     that is far more than is in use
 */
record ClassFigures(long loaded, long unloaded, long metaspace, long mostMetaspace) {

    static ClassFigures of(Situation s) {
        return of(s.ticks());
    }

    /** The same of the time until some moment. */
    static ClassFigures until(Situation s, long millis) {
        return of(s.ticks().stream().filter(tick -> tick.atMillis() <= millis).toList());
    }

    /** The same of the time since some moment, however long ago. */
    static ClassFigures since(Situation s, long millis) {
        return of(s.timeline().ticks().stream().filter(t -> t.atMillis() >= millis).toList());
    }

    private static ClassFigures of(List<Tick> ticks) {
        if (ticks.isEmpty()) {
            return new ClassFigures(0, 0, 0, 0);
        }
        Tick first = ticks.get(0);
        Tick last = ticks.get(ticks.size() - 1);
        long most = 0;
        for (Tick tick : ticks) {
            most = Math.max(most, tick.metaspaceCommitted());
        }
        return new ClassFigures(
                last.classesLoaded() - first.classesLoaded(),
                last.classesUnloaded() - first.classesUnloaded(),
                last.metaspaceUsed(),
                most);
    }

    /** From 0 to 1; more if old ones went, too. */
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
