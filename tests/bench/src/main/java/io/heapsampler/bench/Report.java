// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Says figures in lines {@code name=value}, each with its error and its target where it has one.
 */
final class Report {

    /** The exit code of a stage that has missed a target and says so. */
    private static final int MISSED = 3;

    private static final List<String> TABLE = new ArrayList<>();
    private static boolean isMissed;

    private Report() {}

    /** Prints the figures that have a target once more, as a table in Markdown. */
    static void table() {
        System.out.println("\n| figure | measured | target | met |\n|---|---|---|---|");
        TABLE.forEach(System.out::println);
    }

    /** Ends the process, not with 0 if a target was missed. */
    static void exit() {
        System.exit(isMissed ? MISSED : 0);
    }

    static void say(String name, double value) {
        System.out.println(name + "=" + round(value));
    }

    static void say(String name, Mean mean) {
        System.out.println(line(name, mean));
    }

    /** Says a figure that must be at most its target. */
    static void judge(String name, double value, double target) {
        judge(name, round(value), name + "=" + round(value), target, value <= target);
    }

    /** Says a figure that must be at least its target. */
    static void judgeLeast(String name, double value, double target) {
        judge(name, round(value), name + "=" + round(value), target, value >= target);
    }

    /** Says a figure whose mean must be at most its target. */
    static void judge(String name, Mean mean, double target) {
        judge(name, mean, target, mean.value() <= target);
    }

    /** Says a figure and whether it passes, where the rule is not simply "at most". */
    static void judge(String name, Mean mean, double target, boolean passes) {
        judge(name, round(mean.value()), line(name, mean), target, passes);
    }

    private static void judge(
            String name, String value, String line, double target, boolean passes) {
        System.out.println(line + " target=" + round(target) + " pass=" + passes);
        TABLE.add("| " + name + " | " + value + " | " + round(target) + " | " + passes + " |");
        isMissed |= !passes;
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

    static String round(double value) {
        double size = Math.abs(value);
        if (value == Math.rint(value) || size >= 1000) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        return String.format(Locale.ROOT, size < 1 ? "%.4f" : "%.2f", value);
    }
}
