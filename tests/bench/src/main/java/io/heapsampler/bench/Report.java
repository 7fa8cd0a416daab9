// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.util.Locale;

/**
 * Says figures in lines {@code name=value}, each with its error and its target where it has one.
 */
final class Report {

    private Report() {}

    static void say(String name, double value) {
        System.out.println(name + "=" + round(value));
    }

    static void say(String name, Mean mean) {
        System.out.println(line(name, mean));
    }

    /** Says a figure that must be at most its target. */
    static void judge(String name, double value, double target) {
        System.out.println(name + "=" + round(value) + verdict(target, value <= target));
    }

    /** Says a figure whose mean must be at most its target. */
    static void judge(String name, Mean mean, double target) {
        System.out.println(line(name, mean) + verdict(target, mean.value() <= target));
    }

    /** Says a figure and whether it passes, where the rule is not simply "at most". */
    static void judge(String name, Mean mean, double target, boolean passes) {
        System.out.println(line(name, mean) + verdict(target, passes));
    }

    private static String line(String name, Mean mean) {
        return String.format(
                Locale.ROOT,
                "%s=%s low=%s high=%s",
                name,
                round(mean.value()),
                round(mean.low()),
                round(mean.high()));
    }

    private static String verdict(double target, boolean passes) {
        return " target=" + round(target) + " pass=" + passes;
    }

    static String round(double value) {
        double size = Math.abs(value);
        if (value == Math.rint(value) || size >= 1000) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        return String.format(Locale.ROOT, size < 1 ? "%.4f" : "%.2f", value);
    }
}
