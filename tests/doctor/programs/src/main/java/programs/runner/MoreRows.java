// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Reads the rows of more.tsv and third.tsv: a column for each component of {@link Row}, in that
 * order. Words in a column are separated by spaces, and a dash means that it is empty.
 */
final class MoreRows {

    private static final int COLUMNS = Row.class.getRecordComponents().length;

    private MoreRows() {}

    /** Returns the rows of the files beside the pom, in whose folder the runner works. */
    static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        try {
            rows.addAll(read(Path.of("more.tsv")));
            rows.addAll(read(Path.of("third.tsv")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows;
    }

    static List<Row> read(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> !line.startsWith("#") && !line.startsWith("name\t"))
                .map(MoreRows::row)
                .toList();
    }

    private static Row row(String line) {
        String[] columns = line.split("\t");
        if (columns.length != COLUMNS) {
            throw new IllegalArgumentException(COLUMNS + " columns expected: " + line);
        }
        return new Row(
                columns[0],
                Kind.valueOf(columns[1].toUpperCase(Locale.ROOT)),
                columns[2],
                words(columns[3]),
                Integer.parseInt(columns[4]),
                words(columns[5]),
                text(columns[6]),
                Boolean.parseBoolean(columns[7]),
                Set.copyOf(words(columns[8])),
                text(columns[9]),
                words(columns[10]));
    }

    private static String text(String column) {
        return column.equals("-") ? "" : column;
    }

    private static List<String> words(String column) {
        return column.equals("-") ? List.of() : Arrays.asList(column.split(" "));
    }
}
