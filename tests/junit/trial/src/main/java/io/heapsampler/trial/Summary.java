// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Prints files of verdicts as Markdown: how many are right and what they cost, by truth and load,
 * the same by JDK and collector, and each test with a wrong verdict. Ends with 1 if one is missed
 * or is none, or more than one in 500 is false.
 */
public final class Summary {

    private static final String FIGURES =
            " verdicts | right | missed | false | not measured | errors |"
                    + " seconds | 90 % | CPU seconds | 90 % |";

    private static final Comparator<Row> ORDER =
            Comparator.comparing(Row::truth)
                    .thenComparing(row -> row.cell().load())
                    .thenComparing(row -> row.cell().jdk())
                    .thenComparing(row -> row.cell().collector())
                    .thenComparing(Summary::testOf);

    private static final double MEDIAN = 0.5;
    private static final double NINETY = 0.9;

    /** One false verdict in this many is allowed. */
    private static final int MOST_FALSE = 500;

    private final List<Row> rows;

    private Summary(List<Row> rows) {
        this.rows = rows;
    }

    /** Runs it with the names of the files. */
    public static void main(String[] args) throws IOException {
        Summary summary = new Summary(read(args));
        summary.printFigures(
                "| truth | load |",
                row -> String.format("| %s | %s |", name(row.truth()), row.cell().load()));
        summary.printFigures(
                "| truth | load | JDK | collector |",
                row ->
                        String.format(
                                "| %s | %s | %s | %s |",
                                name(row.truth()),
                                row.cell().load(),
                                row.cell().jdk(),
                                row.cell().collector()));
        summary.printWrong();
        System.exit(summary.isGood() ? 0 : 1);
    }

    /** Reads one row for a test of a file, however many runs it had. */
    private static List<Row> read(String... files) throws IOException {
        Map<List<String>, Row> rows = new LinkedHashMap<>();
        for (String file : files) {
            for (String line : Files.readAllLines(Path.of(file))) {
                Row row = Row.parse(line);
                rows.merge(List.of(file, row.test()), row, Row::plus);
            }
        }
        return rows.values().stream().sorted(ORDER).toList();
    }

    private static String name(Truth truth) {
        return truth.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private void printFigures(String head, Function<Row, String> names) {
        System.out.println(head + FIGURES);
        System.out.println((head + FIGURES).replaceAll("[^|]+", "---"));
        by(rows, names).forEach((name, some) -> System.out.println(name + figures(some)));
        System.out.println();
    }

    private static String figures(List<Row> rows) {
        return String.format(
                Locale.ROOT,
                " %d | %d | %d | %d | %d | %d | %.3f | %.3f | %.3f | %.3f |",
                rows.size(),
                count(rows, Row::isRight),
                count(rows, Row::isMissed),
                count(rows, Row::isFalse),
                count(rows, Row::isNotMeasured),
                count(rows, Row::isError),
                quantile(rows, MEDIAN, Row::seconds),
                quantile(rows, NINETY, Row::seconds),
                quantile(rows, MEDIAN, Row::cpuSeconds),
                quantile(rows, NINETY, Row::cpuSeconds));
    }

    private void printWrong() {
        List<Row> wrong = rows.stream().filter(row -> !row.isRight()).toList();
        if (wrong.isEmpty()) {
            return;
        }
        System.out.println("| wrong | truth | outcome | of | configurations | first message |");
        System.out.println("|---|---|---|---|---|---|");
        by(wrong, Summary::testOf)
                .forEach((test, some) -> System.out.println(wrongLine(test, some)));
    }

    private String wrongLine(String test, List<Row> wrong) {
        Row first = wrong.get(0);
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %d of %d | %s | %s |",
                test,
                name(first.truth()),
                distinct(wrong, row -> row.outcome().name()),
                wrong.size(),
                count(rows, row -> testOf(row).equals(test)),
                distinct(wrong, row -> row.cell().configuration()),
                first.text().replace("|", "\\|"));
    }

    private static String testOf(Row row) {
        return row.cell().group() + "." + row.test();
    }

    private boolean isGood() {
        long alarms = count(rows, Row::isFalse);
        long wrong = count(rows, row -> !row.isRight());
        long sound = count(rows, row -> row.truth().shouldPass());
        return wrong == alarms && alarms * MOST_FALSE <= sound;
    }

    private static Map<String, List<Row>> by(Collection<Row> rows, Function<Row, String> name) {
        return rows.stream()
                .collect(Collectors.groupingBy(name, LinkedHashMap::new, Collectors.toList()));
    }

    private static long count(Collection<Row> rows, Predicate<Row> wanted) {
        return rows.stream().filter(wanted).count();
    }

    private static String distinct(List<Row> rows, Function<Row, String> value) {
        return rows.stream().map(value).distinct().collect(Collectors.joining("; "));
    }

    /** Returns the smallest value that the share of the values does not exceed. */
    private static double quantile(List<Row> rows, double share, ToDoubleFunction<Row> figure) {
        List<Double> sorted = new ArrayList<>();
        rows.forEach(row -> sorted.add(figure.applyAsDouble(row)));
        sorted.sort(null);
        return sorted.get((int) Math.ceil(share * sorted.size()) - 1);
    }
}
