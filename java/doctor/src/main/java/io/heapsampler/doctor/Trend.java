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

    /** Of values at ascending times, in any unit; of more than 64, of 64 evenly chosen ones. */
    static Trend at(double[] times, double[] values) {
        int count = Math.min(values.length, MOST);
        double[] when = new double[count];
        double[] chosen = new double[count];
        for (int i = 0; i < count; i++) {
            boolean isAll = count < MOST;
            int from = isAll ? i : (int) Math.round(i * (values.length - 1.0) / (MOST - 1));
            when[i] = times[from];
            chosen[i] = values[from];
        }
        return new Trend(when, chosen);
    }

    /** Of values that are evenly apart in time. */
    static Trend of(double[] values) {
        double[] times = new double[values.length];
        for (int i = 0; i < times.length; i++) {
            times[i] = i;
        }
        return at(times, values);
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

    /** Of any values but none; reorders them. */
    static double median(double[] values) {
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
