// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A time from which on the median rate of allocation, in bytes per second, was more than the
 * double.
 */
record Step(Instant at, double before, double after) {

    private static final int LEAST_TICKS = 5;
    private static final double CHANGE = 2;
    private static final double LEAST_RATE = 1 << 20; // Less is no load.

    /** Returns the largest rise of the last ten minutes; null if there is none. */
    static @Nullable Step of(Situation s) {
        List<Tick> ticks = s.ticks().stream().filter(tick -> tick.allocated() >= 0).toList();
        double[] rates = new double[Math.max(ticks.size() - 1, 0)];
        for (int i = 0; i < rates.length; i++) {
            rates[i] = Situation.allocatedPerSecond(ticks.get(i), ticks.get(i + 1));
        }
        Step best = null;
        double change = CHANGE;
        for (int i = LEAST_TICKS; i + LEAST_TICKS <= rates.length; i++) {
            double before = Trend.median(Arrays.copyOfRange(rates, Math.max(0, i - 60), i));
            int end = Math.min(rates.length, i + 60);
            double after = Trend.median(Arrays.copyOfRange(rates, i, end));
            double ratio = after / Math.max(before, 1);
            if (ratio > change && after > LEAST_RATE) {
                change = ratio;
                best = new Step(s.timeline().shown(ticks.get(i).atMillis()), before, after);
            }
        }
        return best;
    }

    String text() {
        return Text.bytes(before) + " per second to " + Text.bytes(after);
    }
}
