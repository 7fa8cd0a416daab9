// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

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

    /**
     * Of values at ascending times. Of more than 64, as many are chosen as are evenly apart in
     * time, each the last one before its moment: older ones may be further apart than new ones.
     */
    static Trend at(double[] times, double[] values) {
        if (values.length <= MOST) {
            return new Trend(times, values);
        }
        double[] when = new double[MOST];
        double[] chosen = new double[MOST];
        double apart = (times[values.length - 1] - times[0]) / (MOST - 1);
        int at = 0;
        for (int i = 0; i < MOST; i++) {
            double moment = times[0] + Math.round(i * apart);
            while (at + 1 < values.length && times[at + 1] <= moment) {
                at++;
            }
            when[i] = moment;
            chosen[i] = values[at];
        }
        return new Trend(when, chosen);
    }

    /** Of a figure of ticks. */
    static Trend over(List<Tick> ticks, ToDoubleFunction<Tick> figure) {
        double[] times = ticks.stream().mapToDouble(Tick::atMillis).toArray();
        return at(times, ticks.stream().mapToDouble(figure).toArray());
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
                slopes[next++] = (values[j] - values[i]) / Math.max(times[j] - times[i], 1);
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
        return median(values.clone());
    }

    /** 0 of none; reorders them. */
    static double median(double[] values) {
        if (values.length == 0) {
            return 0;
        }
        int middle = values.length / 2;
        double upper = select(values, middle);
        double lower = values.length % 2 == 0 ? values[0] : upper;
        for (int i = 0; i < middle && values.length % 2 == 0; i++) {
            lower = Double.compare(values[i], lower) > 0 ? values[i] : lower;
        }
        return (lower + upper) / 2;
    }

    /**
     * Returns the value that sorting would put at an index; what would be in front of it is there.
     * Sorting takes longer, and the JVM keeps megabytes of memory for compiling it.
     */
    private static double select(double[] values, int index) {
        int from = 0;
        int to = values.length - 1;
        while (from < to) {
            double pivot = values[(from + to) >>> 1];
            int i = from;
            int j = to;
            while (i <= j) {
                while (Double.compare(values[i], pivot) < 0) {
                    i++;
                }
                while (Double.compare(values[j], pivot) > 0) {
                    j--;
                }
                if (i <= j) {
                    double swapped = values[i];
                    values[i++] = values[j];
                    values[j--] = swapped;
                }
            }
            to = index <= j ? j : to;
            from = index >= i ? i : from;
            if (index > j && index < i) {
                break; // Between the two parts, all are the pivot.
            }
        }
        return values[index];
    }
}
