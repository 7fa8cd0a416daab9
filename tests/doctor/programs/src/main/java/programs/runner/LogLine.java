// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A warning of the doctor in the output of a program.
 *
 * @param seconds when the line was read, since the start of the JVM
 * @param id of the finding
 */
record LogLine(double seconds, String id) {

    private static final Pattern FINDING =
            Pattern.compile("GC doctor: (?:(?:WARNING|CRITICAL) )?([a-z]+[a-z.-]*): ");

    /** Reads a line that the runner has written: the seconds, a tab, the text. */
    static Optional<LogLine> of(String line) {
        int tab = line.indexOf('\t');
        Matcher matcher = FINDING.matcher(line);
        return tab > 0 && matcher.find()
                ? Optional.of(
                        new LogLine(
                                Double.parseDouble(line.substring(0, tab).strip()),
                                matcher.group(1)))
                : Optional.empty();
    }
}
