// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import java.util.Arrays;
import java.util.List;

/**
 * Whether a figure rises from one observation to the next: Kendall's rank correlation, which no
 * outlier and no unit disturbs, and the slope of Theil and Sen, the median of the slopes of all
 * pairs.
 */
public final class Trend {

    /** The number of pairs is quadratic, and this many observations are enough. */
    private static final int MOST = 64;

    private final double[] times;
    private final double[] values;

    private Trend(double[] times, double[] values) {
        this.times = times;
        this.values = values;
    }

    /**
     * Of values at times.
     *
     * @param times ascending, in any unit; at most 64
     * @param values as many
     */
    public static Trend at(double[] times, double[] values) {
        return new Trend(times.clone(), values.clone());
    }

    /** Of values that are evenly apart in time. */
    private static Trend even(double[] values) {
        double[] times = new double[values.length];
        for (int i = 0; i < times.length; i++) {
            times[i] = i;
        }
        return new Trend(times, values);
    }

    /** Of these values; of more than 64 values it uses 64 evenly chosen ones. */
    public static Trend of(double[] values) {
        if (values.length <= MOST) {
            return even(values.clone());
        }
        double[] chosen = new double[MOST];
        for (int i = 0; i < MOST; i++) {
            chosen[i] = values[(int) Math.round(i * (values.length - 1.0) / (MOST - 1))];
        }
        return even(chosen);
    }

    /**
     * Of what was seen at these ticks. Older ones are further apart than new ones, so as many are
     * chosen as are evenly apart in time, each the last one before its moment.
     */
    public static Trend over(List<Tick> ticks, double[] values) {
        if (values.length <= MOST) {
            return of(values);
        }
        long from = ticks.get(0).atMillis();
        double apart = (ticks.get(values.length - 1).atMillis() - from) / (MOST - 1.0);
        double[] chosen = new double[MOST];
        int at = 0;
        for (int i = 0; i < MOST; i++) {
            long moment = from + Math.round(i * apart);
            while (at + 1 < values.length && ticks.get(at + 1).atMillis() <= moment) {
                at++;
            }
            chosen[i] = values[at];
        }
        return even(chosen);
    }

    public int count() {
        return values.length;
    }

    /** From −1, always falling, to 1, always rising; 0 with fewer than two. */
    public double correlation() {
        int sum = 0;
        int pairs = 0;
        for (int i = 0; i < values.length; i++) {
            for (int j = i + 1; j < values.length; j++) {
                sum += (int) Math.signum(values[j] - values[i]);
                pairs++;
            }
        }
        return pairs == 0 ? 0 : (double) sum / pairs;
    }

    /** By how much the figure rises over the whole: the median slope times the time. */
    public double rise() {
        if (values.length < 2) {
            return 0;
        }
        double[] slopes = new double[values.length * (values.length - 1) / 2];
        int next = 0;
        for (int i = 0; i < values.length; i++) {
            for (int j = i + 1; j < values.length; j++) {
                slopes[next++] = (values[j] - values[i]) / (times[j] - times[i]);
            }
        }
        Arrays.sort(slopes);
        double median = (slopes[(slopes.length - 1) / 2] + slopes[slopes.length / 2]) / 2;
        return median * (times[times.length - 1] - times[0]);
    }

    /** The later half of the time, with the last value before it. */
    public Trend recent() {
        int first = 0;
        double middle = times.length == 0 ? 0 : (times[0] + times[times.length - 1]) / 2;
        while (first + 1 < times.length && times[first + 1] <= middle) {
            first++;
        }
        return new Trend(
                Arrays.copyOfRange(times, first, times.length),
                Arrays.copyOfRange(values, first, values.length));
    }

    /** The time from the first observation to the last. */
    public double span() {
        return times.length == 0 ? 0 : times[times.length - 1] - times[0];
    }

    public double last() {
        return values.length == 0 ? 0 : values[values.length - 1];
    }

    public double median() {
        if (values.length == 0) {
            return 0;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
