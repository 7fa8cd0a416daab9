// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

import java.util.List;
import java.util.Locale;

/**
 * One verdict, as a line of the file of results.
 *
 * @param configuration such as {@code 17-g1}
 * @param group the simple name of the class of the test
 * @param seconds wall time
 * @param cpuSeconds processor time of the whole JVM meanwhile
 * @param text the first line of the message, or what was reported; may be empty
 */
record Row(
        String configuration,
        String repetition,
        String group,
        String test,
        Truth truth,
        Outcome outcome,
        double seconds,
        double cpuSeconds,
        String text) {

    private static final int LONGEST = 300;

    static Row parse(String line) {
        List<String> fields = List.of(line.split("\t", -1));
        return new Row(
                fields.get(0),
                fields.get(1),
                fields.get(2),
                fields.get(3),
                Truth.valueOf(fields.get(4)),
                Outcome.valueOf(fields.get(5)),
                Double.parseDouble(fields.get(6)),
                Double.parseDouble(fields.get(7)),
                fields.get(8));
    }

    String line() {
        String first = text.strip().lines().findFirst().orElse("").replace('\t', ' ');
        return String.join(
                "\t",
                configuration,
                repetition,
                group,
                test,
                truth.name(),
                outcome.name(),
                String.format(Locale.ROOT, "%.4f", seconds),
                String.format(Locale.ROOT, "%.4f", cpuSeconds),
                first.length() > LONGEST ? first.substring(0, LONGEST) : first);
    }

    /** Of one test that ran several times, as the runs of a template do. */
    Row plus(Row other) {
        boolean isWorse = other.outcome.compareTo(outcome) > 0;
        return new Row(
                configuration,
                repetition,
                group,
                test,
                truth,
                isWorse ? other.outcome : outcome,
                seconds + other.seconds,
                cpuSeconds + other.cpuSeconds,
                isWorse ? other.text : text);
    }

    boolean isRight() {
        return outcome == (truth.shouldPass() ? Outcome.PASSED : Outcome.FAILED);
    }

    boolean isMissed() {
        return outcome == Outcome.PASSED && !truth.shouldPass();
    }

    boolean isFalse() {
        return outcome == Outcome.FAILED && truth.shouldPass();
    }
}
