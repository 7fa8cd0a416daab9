// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.util.ArrayList;
import java.util.List;

/**
 * A line of the results.
 *
 * @param cell its name
 * @param kind of the program
 * @param load {@code quiet} or {@code loaded}
 * @param expected the finding that the row expects, or {@code -}
 * @param verdict the result
 * @param first seconds to the first log of it, or {@code -}
 * @param severity of the expected finding in the file, or {@code -}
 * @param siteRank the place of the right site, 0 if it is not named
 * @param others warnings that the row does not tolerate, or {@code -}
 * @param takenBack warnings that are not in the file any more, or {@code -}
 * @param end how the program ended
 */
record Result(
        String cell,
        Kind kind,
        String load,
        String expected,
        Verdict verdict,
        String first,
        String severity,
        String siteRank,
        String others,
        String takenBack,
        String end) {

    static final String HEADER =
            "cell\tkind\tload\texpected\tverdict\tfirst s\tseverity\tsite\tothers\ttaken back\tend";

    private static final int COLUMNS = 11;

    static Result of(Cell cell, String load, Judgement judgement, String end) {
        Row row = cell.row();
        List<String> line = new ArrayList<>();
        line.add(cell.name());
        line.add(row.kind().name());
        line.add(load);
        line.add(row.expected().isEmpty() ? "-" : row.expected());
        line.addAll(judgement.columns());
        line.add(end);
        return of(String.join("\t", line));
    }

    /** Reads a line of a file of results. */
    static Result of(String line) {
        String[] cells = line.split("\t", COLUMNS);
        return new Result(
                cells[0],
                Kind.valueOf(cells[1]),
                cells[2],
                cells[3],
                Verdict.labelled(cells[4]),
                cells[5],
                cells[6],
                cells[7],
                cells[8],
                cells[9],
                cells[10]);
    }

    String line() {
        return String.join(
                "\t",
                cell,
                kind.name(),
                load,
                expected,
                verdict.label(),
                first,
                severity,
                siteRank,
                others,
                takenBack,
                end);
    }

    /** Returns whether the doctor reported what it should, and nothing else. */
    boolean isRight() {
        return verdict.isRight() && others.equals("-");
    }
}
