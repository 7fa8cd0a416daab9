// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Tick;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A time at which the rate of allocation changed at least to the double or the half, and stayed so.
 *
 * @param at when, milliseconds since 1970
 * @param before the median rate before, bytes per second
 * @param after the median rate since
 */
public record Step(long at, double before, double after) {

    private static final int LEAST_TICKS = 5;
    private static final double CHANGE = 2;

    /** Less is no load. */
    private static final double LEAST_RATE = 1 << 20;

    /** Returns the largest step of the last ten minutes; null if there is none. */
    public static @Nullable Step of(Situation s) {
        List<Tick> ticks = s.ticks().stream().filter(tick -> tick.allocated() >= 0).toList();
        double[] rates = new double[Math.max(ticks.size() - 1, 0)];
        for (int i = 0; i < rates.length; i++) {
            rates[i] = rate(ticks.get(i), ticks.get(i + 1));
        }
        Step best = null;
        double change = CHANGE;
        for (int i = LEAST_TICKS; i + LEAST_TICKS <= rates.length; i++) {
            double before = median(rates, Math.max(0, i - 60), i);
            double after = median(rates, i, Math.min(rates.length, i + 60));
            double ratio = Math.max(after, 1) / Math.max(before, 1);
            double size = Math.max(ratio, 1 / ratio);
            if (size > change && Math.max(before, after) > LEAST_RATE) {
                change = size;
                best = new Step(ticks.get(i).atMillis(), before, after);
            }
        }
        return best;
    }

    private static double rate(Tick from, Tick to) {
        double millis = Math.max(to.atMillis() - from.atMillis(), 1);
        return 1000.0 * (to.allocated() - from.allocated()) / millis;
    }

    private static double median(double[] values, int from, int to) {
        double[] part = java.util.Arrays.copyOfRange(values, from, to);
        java.util.Arrays.sort(part);
        return (part[(part.length - 1) / 2] + part[part.length / 2]) / 2;
    }

    boolean isRise() {
        return after > before;
    }

    public String text() {
        return Text.bytes(before) + " per second to " + Text.bytes(after);
    }
}
