// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.List;
import java.util.stream.Stream;

/**
 * How a JVM ended, and what was found in it.
 *
 * @param command what was run
 * @param code its exit code; below 0: it had to be killed
 * @param output all that it printed
 * @param millis how long it took
 * @param lateMillis how late a thread that only slept has woken at worst meanwhile
 */
record Outcome(String command, int code, String output, long millis, long lateMillis) {

    /** What makes a pause long that is not. */
    private static final int STANDSTILL_MILLIS = 100;

    /** A line of the output. */
    record Found(String id, String severity, String title) {

        boolean isWarning() {
            return !severity.equals("INFO");
        }
    }

    /** Returns what was there at the end. */
    List<Found> found() {
        return lines("finding ");
    }

    /** Returns what was worse than information at the end or at any time. */
    List<Found> warnings() {
        return told().stream().filter(Found::isWarning).toList();
    }

    /** Returns what was there at the end or at any time. */
    List<Found> told() {
        return Stream.concat(found().stream(), lines("opened ").stream()).toList();
    }

    private List<Found> lines(String beginning) {
        return output.lines()
                .filter(line -> line.startsWith(beginning))
                .map(line -> line.split(" ", 4))
                .map(words -> new Found(words[1], words[2], words[3]))
                .toList();
    }

    /** Returns the places in the code that a finding names: allocating and calling code. */
    List<String> places(String id) {
        return output.lines()
                .filter(
                        line ->
                                line.startsWith("site " + id + " ")
                                        || line.startsWith("caller " + id + " "))
                .toList();
    }

    /** Returns whether the machine had no time for those who wanted to run. */
    boolean stoodStill() {
        return lateMillis > STANDSTILL_MILLIS;
    }

    String summary() {
        String found =
                String.join(", ", found().stream().map(f -> f.id() + " " + f.severity()).toList());
        return found.isEmpty() ? "nothing found" : found;
    }

    @Override
    public String toString() {
        return command
                + "\nexit code "
                + code
                + ", the machine "
                + lateMillis
                + " ms late at worst, output:\n"
                + output;
    }
}
