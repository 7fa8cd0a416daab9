// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.List;

/**
 * How a JVM ended, and what was found in it.
 *
 * @param command what was run
 * @param code its exit code; below 0: it had to be killed
 * @param output all that it printed
 * @param millis how long it took
 */
record Outcome(String command, int code, String output, long millis) {

    /** A line of the output. */
    record Found(String id, String severity, String title) {

        boolean isWarning() {
            return !severity.equals("INFO");
        }
    }

    List<Found> found() {
        return output.lines()
                .filter(line -> line.startsWith("finding "))
                .map(line -> line.split(" ", 4))
                .map(words -> new Found(words[1], words[2], words[3]))
                .toList();
    }

    /** Returns the places in the code that a finding names. */
    List<String> sites(String id) {
        return output.lines().filter(line -> line.startsWith("site " + id + " ")).toList();
    }

    String summary() {
        String found =
                String.join(", ", found().stream().map(f -> f.id() + " " + f.severity()).toList());
        return found.isEmpty() ? "nothing found" : found;
    }

    @Override
    public String toString() {
        return command + "\nexit code " + code + ", output:\n" + output;
    }
}
