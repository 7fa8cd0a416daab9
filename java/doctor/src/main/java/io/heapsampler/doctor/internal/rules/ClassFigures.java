// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Tick;
import io.heapsampler.doctor.internal.text.Text;
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
 */
record ClassFigures(long loaded, long unloaded, long metaspace, long mostMetaspace) {

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
