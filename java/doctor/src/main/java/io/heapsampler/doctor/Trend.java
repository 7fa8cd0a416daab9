// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.Arrays;
import java.util.List;

/**
 * Whether a figure rises from one observation to the next: Kendall's rank correlation, which no
 * outlier and no unit disturbs, and the slope of Theil and Sen, the median of the slopes of all
 * pairs.
 */
final class Trend {

    /** The number of pairs is quadratic, and this many observations are enough. */
    private static final int MOST = 64;

    private final double[] times;
    private final double[] values;

    private Trend(double[] times, double[] values) {
        this.times = times;
        this.values = values;
    }

    /** Of values at ascending times, in any unit; at most 64 of them. */
    static Trend at(double[] times, double[] values) {
        return new Trend(times.clone(), values.clone());
    }

    /** Of values that are evenly apart in time; of more than 64 it uses 64 evenly chosen ones. */
    static Trend of(double[] values) {
        int count = Math.min(values.length, MOST);
        double[] times = new double[count];
        double[] chosen = new double[count];
        for (int i = 0; i < count; i++) {
            times[i] = i;
            chosen[i] =
                    values[(int) Math.round(i * (values.length - 1.0) / Math.max(count - 1, 1))];
        }
        return new Trend(times, chosen);
    }

    /**
     * Of what was seen at these ticks. Older ones are further apart than new ones, so as many are
     * chosen as are evenly apart in time, each the last one before its moment.
     */
    static Trend over(List<Tick> ticks, double[] values) {
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
        return of(chosen);
    }

    int count() {
        return values.length;
    }

    /** From −1, always falling, to 1, always rising; 0 with fewer than two. */
    double correlation() {
        int sum = 0;
        for (int i = 0; i < values.length; i++) {
            for (int j = i + 1; j < values.length; j++) {
                sum += (int) Math.signum(values[j] - values[i]);
            }
        }
        return values.length < 2 ? 0 : sum / (values.length * (values.length - 1) / 2.0);
    }

    /** By how much the figure rises over the whole: the median slope times the time. */
    double rise() {
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
        return median(slopes) * span();
    }

    /** The later half of the time, with the last value before it. */
    Trend recent() {
        int first = 0;
        double middle = times.length == 0 ? 0 : times[0] + span() / 2;
        while (first + 1 < times.length && times[first + 1] <= middle) {
            first++;
        }
        return new Trend(
                Arrays.copyOfRange(times, first, times.length),
                Arrays.copyOfRange(values, first, values.length));
    }

    /** The time of the first observation. */
    double begin() {
        return times.length == 0 ? 0 : times[0];
    }

    /** The time of the last one. */
    double end() {
        return times.length == 0 ? 0 : times[times.length - 1];
    }

    /** The time from the first observation to the last. */
    double span() {
        return end() - begin();
    }

    double last() {
        return values.length == 0 ? 0 : values[values.length - 1];
    }

    double median() {
        return values.length == 0 ? 0 : median(values.clone());
    }

    /** Of any values but none; sorts them. */
    static double median(double[] values) {
        Arrays.sort(values);
        return (values[(values.length - 1) / 2] + values[values.length / 2]) / 2;
    }
}
