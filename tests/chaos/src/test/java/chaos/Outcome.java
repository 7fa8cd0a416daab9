// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a JVM ended.
 *
 * @param command what was run
 * @param code its exit code; below 0: it hung and was killed
 * @param output all that it printed
 * @param left the files that it left in its folders
 * @param millis how long it took
 */
record Outcome(String command, int code, String output, List<String> left, long millis) {

    private static final int SHOWN_LINES = 80;

    /** What -Xcheck:jni and a dying JVM say; java.lang.instrument itself is not free from fault. */
    private static final Pattern COMPLAINT =
            Pattern.compile(
                    "WARNING in native method|FATAL ERROR|WARNING: JNI local refs[^\n"
                            + "]*\n"
                            + "(?!\\s+at sun\\.instrument)|A fatal error has been detected|Internal"
                            + " Error");

    /** Returns the first line with figures; empty if there is none. */
    String line() {
        return output.lines()
                .filter(line -> line.matches("(chaos|without|ending|isolation|soak)[ =].*"))
                .findFirst()
                .orElse("");
    }

    /** The same without what another agent is known to cause. */
    Outcome without(Pattern noise) {
        return new Outcome(command, code, noise.matcher(output).replaceAll(""), left, millis);
    }

    /** Returns what is wrong with it; empty if nothing is. */
    String trouble(int expected) {
        StringBuilder text = new StringBuilder();
        if (code != expected) {
            text.append("exit code ").append(code).append(", not ").append(expected).append('\n');
        }
        Matcher complaint = COMPLAINT.matcher(output);
        if (complaint.find()) {
            text.append("the JVM says: ").append(complaint.group()).append('\n');
        }
        if (!left.isEmpty()) {
            text.append("it left ").append(left).append('\n');
        }
        return text.length() == 0 ? "" : text.append(this).toString();
    }

    @Override
    public String toString() {
        List<String> lines = output.lines().toList();
        List<String> shown = lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
        return command + "\nexit code " + code + ", output:\n  " + String.join("\n  ", shown);
    }
}
