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
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Prints, as Markdown, how many verdicts of a file of results are right, by truth and
 * configuration, and then each test with a wrong verdict. Ends with 1 if one is missed or is none,
 * or more than one in 500 is false.
 */
public final class Summary {

    private static final String HEAD =
            "| truth | configuration | verdicts | right | missed | false | not measured | errors |"
                    + " median seconds | median CPU seconds |\n"
                    + "|---|---|---|---|---|---|---|---|---|---|";

    /** One false verdict in so many is allowed. */
    private static final int MOST_FALSE = 500;

    private Summary() {}

    /** Runs it with the name of the file. */
    public static void main(String[] args) throws IOException {
        Collection<Row> rows = merged(Files.readAllLines(Path.of(args[0])));
        System.out.println(HEAD);
        by(rows, row -> row.truth() + " | " + row.configuration())
                .forEach((name, some) -> System.out.println(line(name, some)));
        by(rows, row -> row.truth() + " | all")
                .forEach((name, some) -> System.out.println(line(name, some)));
        List<Row> wrong = rows.stream().filter(row -> !row.isRight()).toList();
        if (!wrong.isEmpty()) {
            System.out.println(
                    "\n| wrong | truth | outcome | of | configurations | first message |");
            System.out.println("|---|---|---|---|---|---|");
            by(wrong, row -> row.group() + "." + row.test() + " | " + row.truth())
                    .forEach((name, some) -> System.out.println(wrongLine(name, some, rows)));
        }
        long sound = rows.stream().filter(row -> row.truth().shouldPass()).count();
        long alarms = wrong.stream().filter(Row::isFalse).count();
        System.exit(wrong.size() == alarms && alarms * MOST_FALSE <= sound ? 0 : 1);
    }

    /** One row for a test, however many runs it has. */
    private static Collection<Row> merged(List<String> lines) {
        Map<List<String>, Row> rows = new LinkedHashMap<>();
        for (String line : lines) {
            Row row = Row.parse(line);
            rows.merge(
                    List.of(row.configuration(), row.repetition(), row.group(), row.test()),
                    row,
                    Row::plus);
        }
        return rows.values();
    }

    private static Map<String, List<Row>> by(Collection<Row> rows, Function<Row, String> name) {
        return rows.stream()
                .collect(Collectors.groupingBy(name, TreeMap::new, Collectors.toList()));
    }

    private static String line(String name, List<Row> rows) {
        return String.format(
                Locale.ROOT,
                "| %s | %d | %d | %d | %d | %d | %d | %.3f | %.3f |",
                name,
                rows.size(),
                count(rows, Row::isRight),
                count(rows, Row::isMissed),
                count(rows, Row::isFalse),
                count(rows, row -> row.outcome() == Outcome.NOT_MEASURED),
                count(rows, row -> row.outcome().compareTo(Outcome.NOT_MEASURED) > 0),
                median(rows, Row::seconds),
                median(rows, Row::cpuSeconds));
    }

    private static String wrongLine(String name, List<Row> wrong, Collection<Row> all) {
        Row first = wrong.get(0);
        long runs =
                all.stream()
                        .filter(row -> row.group().equals(first.group()))
                        .filter(row -> row.test().equals(first.test()))
                        .count();
        String outcomes =
                wrong.stream()
                        .map(row -> row.outcome().name())
                        .distinct()
                        .collect(Collectors.joining(", "));
        String configurations =
                wrong.stream().map(Row::configuration).distinct().collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "| %s | %s | %d of %d | %s | %s |",
                name,
                outcomes,
                wrong.size(),
                runs,
                configurations,
                first.text().replace("|", "\\|"));
    }

    private static long count(List<Row> rows, Predicate<Row> wanted) {
        return rows.stream().filter(wanted).count();
    }

    private static double median(List<Row> rows, ToDoubleFunction<Row> figure) {
        List<Row> sorted = new ArrayList<>(rows);
        sorted.sort(Comparator.comparingDouble(figure));
        return figure.applyAsDouble(sorted.get(sorted.size() / 2));
    }
}
