// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.List;

/** The start of an application: it loads classes and data, which is no growth. */
final class StartUp {

    /** It lasts at least this long. */
    static final long LEAST_MILLIS = 10_000;

    /** It is over when hardly any class was loaded for this long. */
    private static final long QUIET_MILLIS = 5_000;

    private static final double FEW_NEW = 0.01;

    private StartUp() {}

    /** Returns the index of the first tick after it; the number of ticks while it goes on. */
    static int end(List<Tick> ticks) {
        int before = 0;
        for (int i = 0; i < ticks.size(); i++) {
            Tick tick = ticks.get(i);
            while (before + 1 < i
                    && ticks.get(before + 1).atMillis() <= tick.atMillis() - QUIET_MILLIS) {
                before++;
            }
            long loaded = tick.classesLoaded() - ticks.get(before).classesLoaded();
            if (tick.atMillis() >= ticks.get(0).atMillis() + LEAST_MILLIS
                    && loaded <= FEW_NEW * tick.classesLoaded()) {
                return i;
            }
        }
        return ticks.size();
    }

    /** Returns when it was over; at the latest after some time. */
    static long endMillis(List<Tick> ticks, long mostMillis) {
        if (ticks.isEmpty()) {
            return Long.MIN_VALUE;
        }
        int end = end(ticks);
        long latest = ticks.get(0).atMillis() + mostMillis;
        return end < ticks.size() ? Math.min(ticks.get(end).atMillis(), latest) : latest;
    }
}
