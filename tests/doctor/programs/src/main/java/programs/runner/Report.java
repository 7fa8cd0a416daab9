// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints results as the tables of results.md. */
final class Report {

    private Report() {}

    /** Returns the tables of some files of results. */
    static String of(List<Path> files) {
        return ofResults(files.stream().flatMap(Report::read).toList());
    }

    private static Stream<Result> read(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> !line.isBlank() && !line.equals(Result.HEADER))
                    .map(Result::of);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String ofResults(List<Result> results) {
        return counts(results) + "\n" + wrong(results);
    }

    private static String counts(List<Result> results) {
        List<String> lines = new ArrayList<>();
        lines.add("| | quiet | loaded |");
        lines.add("|---|---|---|");
        for (Kind kind : Kind.values()) {
            Function<String, List<Result>> under =
                    load ->
                            results.stream()
                                    .filter(each -> each.kind() == kind && each.load().equals(load))
                                    .toList();
            List<Result> quiet = under.apply("quiet");
            List<Result> loaded = under.apply("loaded");
            lines.add(line(kind.label() + ", runs", quiet.size(), loaded.size()));
            for (Verdict verdict : Verdict.values()) {
                addCount(lines, verdict, count(quiet, verdict), count(loaded, verdict));
            }
            if (kind != Kind.HEALTHY) {
                lines.add(line("– with another warning besides", besides(quiet), besides(loaded)));
            }
        }
        return String.join("\n", lines) + "\n";
    }

    private static void addCount(List<String> lines, Verdict verdict, long quiet, long loaded) {
        if (quiet + loaded > 0) {
            lines.add(line("– " + verdict.label(), quiet, loaded));
        }
    }

    private static String line(String label, long quiet, long loaded) {
        return "| %s | %d | %d |".formatted(label, quiet, loaded);
    }

    private static long count(List<Result> results, Verdict verdict) {
        return results.stream().filter(each -> each.verdict() == verdict).count();
    }

    private static long besides(List<Result> results) {
        return results.stream()
                .filter(each -> each.verdict().isRight() && !each.others().equals("-"))
                .count();
    }

    private static String wrong(List<Result> results) {
        TreeMap<String, List<Result>> byCell =
                results.stream()
                        .filter(each -> !each.isRight())
                        .collect(
                                Collectors.groupingBy(
                                        Result::cell, TreeMap::new, Collectors.toList()));
        return byCell.values().stream()
                .flatMap(List::stream)
                .map(
                        each ->
                                "| `%s` | %s | %s | %s | %s | %s | %s | %s |"
                                        .formatted(
                                                each.cell(),
                                                each.load(),
                                                each.expected(),
                                                each.verdict().label(),
                                                each.first(),
                                                each.others(),
                                                each.takenBack(),
                                                each.end()))
                .collect(
                        Collectors.joining(
                                "\n",
                                """
                                | run | load | expected | verdict | first, s | other warnings | \
                                taken back | end |
                                |---|---|---|---|---|---|---|---|
                                """,
                                "\n"));
    }
}
