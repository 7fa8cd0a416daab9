// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

/**
 * How a JVM ended.
 *
 * @param command what was run
 * @param code its exit code; below 0: it had to be killed
 * @param output all that it printed
 * @param millis how long it took
 */
record Outcome(String command, int code, String output, long millis) {

    private static final int SHOWN_LINES = 60;

    Counts counts() {
        return Counts.parse(line());
    }

    /** Returns the line of counts; empty if there is none. */
    String line() {
        return output.lines().filter(line -> line.startsWith("verified=")).findFirst().orElse("");
    }

    @Override
    public String toString() {
        String[] lines = output.split("\n", -1);
        StringBuilder text = new StringBuilder();
        text.append(command).append("\nexit code ").append(code).append(", output:\n");
        for (int i = Math.max(0, lines.length - SHOWN_LINES); i < lines.length; i++) {
            text.append("  ").append(lines[i]).append('\n');
        }
        return text.toString();
    }
}
