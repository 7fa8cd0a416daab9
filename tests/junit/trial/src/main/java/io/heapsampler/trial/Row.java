// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

import java.util.List;
import java.util.Locale;

/**
 * One verdict, as a line of a file of verdicts.
 *
 * @param cell the JVM that gave it
 * @param seconds wall time
 * @param cpuSeconds processor time of the whole JVM meanwhile
 * @param text the first line of the message, or of the report entry; may be empty
 */
record Row(
        Cell cell,
        String test,
        Truth truth,
        Outcome outcome,
        double seconds,
        double cpuSeconds,
        String text) {

    private static final int LONGEST = 300;

    static Row parse(String line) {
        List<String> fields = List.of(line.split("\t", -1));
        List<String> own = fields.subList(Cell.FIELDS, fields.size());
        return new Row(
                Cell.of(fields),
                own.get(0),
                Truth.valueOf(own.get(1)),
                Outcome.valueOf(own.get(2)),
                Double.parseDouble(own.get(3)),
                Double.parseDouble(own.get(4)),
                own.get(5));
    }

    String line() {
        String first = text.strip().lines().findFirst().orElse("").replace('\t', ' ');
        return String.join(
                "\t",
                cell.line(),
                test,
                truth.name(),
                outcome.name(),
                String.format(Locale.ROOT, "%.4f", seconds),
                String.format(Locale.ROOT, "%.4f", cpuSeconds),
                first.length() > LONGEST ? first.substring(0, LONGEST) : first);
    }

    /** Joins the rows of one test that ran several times, as the runs of a template do. */
    Row plus(Row other) {
        boolean isWorse = other.outcome.compareTo(outcome) > 0;
        return new Row(
                cell,
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

    boolean isNotMeasured() {
        return outcome == Outcome.NOT_MEASURED;
    }

    boolean isError() {
        return outcome.compareTo(Outcome.NOT_MEASURED) > 0;
    }
}
