// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.internal.shared.JsonText;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Adds up equal stacks. Reads the files of the agent's recorders, those of the allocation
 * instrumenter's flame sampler, and collapsed stacks of other profilers: frames separated by
 * semicolons, a blank, a number. Lines that begin with {@code #} are ignored.
 */
final class Collapse {

    /** The state that counts in a file of lifetimes by default. */
    static final String SURVIVED = "survived";

    private static final int LIFETIME_COLUMNS = 5;

    private final @Nullable String filter;
    private final boolean keepsOthers;
    private final boolean isSquashing;
    private final String state;

    private final SortedMap<String, Long> stacks = new TreeMap<>();
    private final List<String> incomplete = new ArrayList<>();
    private long rows;
    private long keptSum;
    private long droppedRows;
    private long droppedSum;

    /**
     * Takes the options.
     *
     * @param filter a part of a frame, in any case: frames before the first match are dropped; null
     *     for all frames
     * @param keepsOthers whether stacks without such a frame stay, whole
     * @param isSquashing whether a frame that calls itself is one frame
     * @param state of lifetimes that count
     */
    Collapse(@Nullable String filter, boolean keepsOthers, boolean isSquashing, String state) {
        this.filter = filter == null ? null : filter.toLowerCase(Locale.ROOT);
        this.keepsOthers = keepsOthers;
        this.isSquashing = isSquashing;
        this.state = state;
    }

    void read(BufferedReader in) throws IOException {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            rows++;
            if (!line.startsWith("#") && !line.isBlank()) {
                add(line);
            }
        }
    }

    private void add(String line) {
        String[] words = line.split(" ", -1);
        if (words.length == LIFETIME_COLUMNS && isNumber(words[2]) && isNumber(words[3])) {
            if (words[4].equals(state)) {
                add(line, words[0], words[1]);
            }
            return;
        }
        int blank = line.stripTrailing().lastIndexOf(' ');
        add(line, line.substring(0, Math.max(blank, 0)), line.substring(blank + 1).strip());
    }

    private void add(String line, String stack, String number) {
        List<String> frames = frames(stack);
        if (frames.isEmpty() || !isNumber(number)) {
            incomplete.add("Incomplete line (" + rows + "): " + line);
            return;
        }
        long figure = Long.parseLong(number);
        List<String> kept = filtered(frames);
        if (kept.isEmpty()) {
            droppedRows++;
            droppedSum += figure;
            return;
        }
        keptSum += figure;
        stacks.merge(String.join(";", isSquashing ? squashed(kept) : kept), figure, Long::sum);
    }

    private static List<String> frames(String stack) {
        List<String> frames = new ArrayList<>();
        for (String frame : stack.split(";", -1)) {
            if (!frame.isBlank()) {
                frames.add(frame);
            }
        }
        return frames;
    }

    private static boolean isNumber(String word) {
        return word.length() < 19
                && !word.isEmpty()
                && word.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private List<String> filtered(List<String> frames) {
        if (filter == null) {
            return frames;
        }
        for (int i = 0; i < frames.size(); i++) {
            if (frames.get(i).toLowerCase(Locale.ROOT).contains(filter)) {
                return frames.subList(i, frames.size());
            }
        }
        return keepsOthers ? frames : List.of();
    }

    private static List<String> squashed(List<String> frames) {
        List<String> result = new ArrayList<>();
        for (String frame : frames) {
            if (result.isEmpty() || !result.get(result.size() - 1).equals(frame)) {
                result.add(frame);
            }
        }
        return result;
    }

    /** The sums by stack, in alphabetical order. */
    SortedMap<String, Long> stacks() {
        return stacks;
    }

    /** Messages about lines without a stack or a number. */
    List<String> incomplete() {
        return incomplete;
    }

    /** Ends a document with the counts. */
    JsonText json(JsonText json) {
        return json.name("rows")
                .value(rows)
                .name("incompleteRows")
                .value(incomplete.size())
                .name("stacks")
                .value(stacks.size())
                .name("kept")
                .value(keptSum)
                .name("dropped")
                .value(droppedSum)
                .name("droppedRows")
                .value(droppedRows)
                .end('}');
    }

    /** Returns a summary; the first line is that of the allocation instrumenter's FlameCollapse. */
    List<String> summary() {
        String dropped =
                filter == null || keepsOthers
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                ", dropped %d in %d rows without \"%s\"",
                                droppedSum,
                                droppedRows,
                                filter);
        return List.of(
                String.format(
                        Locale.ROOT,
                        "Finished FlameCollapse! Collapsed %d rows into %d",
                        rows,
                        stacks.size()),
                "Kept " + keptSum + dropped + ".");
    }
}
