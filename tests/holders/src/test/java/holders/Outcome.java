// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a JVM ended.
 *
 * @param command its command line
 * @param code its exit code; below 0: it hung and was killed
 * @param output all that it printed
 * @param millis how long it took
 */
record Outcome(String command, int code, String output, long millis) {

    private static final int SHOWN_LINES = 60;

    private static final Pattern COMPLAINT =
            Pattern.compile(
                    "WARNING in native method|FATAL ERROR|WARNING: JNI local refs|A fatal error has"
                            + " been detected|Internal Error");

    /** Returns the lines that begin with a word. */
    List<String> lines(String word) {
        return output.lines().filter(line -> line.startsWith(word + " ")).toList();
    }

    /** Returns what the JVM itself complains about; empty if it does not. */
    String complaint() {
        Matcher matcher = COMPLAINT.matcher(output);
        return matcher.find() ? matcher.group() : "";
    }

    @Override
    public String toString() {
        List<String> faults = output.lines().filter(line -> line.contains("FAILED")).toList();
        List<String> lines = output.lines().toList();
        List<String> shown = lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
        return command
                + "\nexit code "
                + code
                + ", faults:\n  "
                + String.join("\n  ", faults)
                + "\nend of the output:\n  "
                + String.join("\n  ", shown);
    }
}
