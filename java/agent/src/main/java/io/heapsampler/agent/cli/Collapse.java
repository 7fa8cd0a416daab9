// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.BlockBuilder;
import io.heapsampler.internal.shared.JsonText;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    /** The number of samples is unknown; with few of them, snapshots call their errors rough. */
    private static final int ENOUGH_SAMPLES = 1_000;

    /** A Java version without notes about its figures. */
    private static final int FEATURE = 25;

    /** A class with a dot at its end, a method, and a line, such as in {@code a.Cart.add:17}. */
    private static final Pattern FRAME =
            Pattern.compile("(?:(.+)\\.)?(.*?)(?::(-?[0-9]+))?", Pattern.DOTALL);

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
     * @param isSquashing whether direct recursion is one frame
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
        List<String> frames =
                Arrays.stream(stack.split(";", -1)).filter(frame -> !frame.isBlank()).toList();
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

    private static boolean isNumber(String word) {
        return word.matches("[0-9]{1,18}");
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

    /** Writes a line for each stack. */
    void write(OutputStream out) throws IOException {
        StringBuilder text = new StringBuilder();
        stacks.forEach((stack, figure) -> text.append(stack + " " + figure + "\n"));
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Ends a document with the counts. */
    JsonText json(JsonText json) {
        json.name("rows").value(rows).name("incompleteRows").value(incomplete.size());
        json.name("stacks").value(stacks.size()).name("kept").value(keptSum);
        json.name("dropped").value(droppedSum).name("droppedRows").value(droppedRows);
        return json.end('}');
    }

    /** Returns a summary; the first line is that of the allocation instrumenter's FlameCollapse. */
    List<String> summary() {
        String dropped =
                filter == null || keepsOthers
                        ? ""
                        : ", dropped %s in %s rows without \"%s\""
                                .formatted(droppedSum, droppedRows, filter);
        return List.of(
                "Finished FlameCollapse! Collapsed " + rows + " rows into " + stacks.size(),
                "Kept " + keptSum + dropped + ".");
    }

    /**
     * Returns the stacks as a snapshot, so that exporters can show them. The last frame of a stack
     * is the class. The figures have no errors, and there are no lifetimes and no threads.
     */
    HeapSnapshot toSnapshot() {
        BlockBuilder block = new BlockBuilder();
        block.info(Instant.now(), FEATURE, Math.max(stacks.size(), ENOUGH_SAMPLES));
        Map<String, Integer> frames = new HashMap<>();
        stacks.forEach(
                (stack, figure) -> {
                    String[] path = stack.split(";", -1);
                    int leaf = path.length - 1;
                    int[] numbers = new int[leaf];
                    for (int i = 0; i < leaf; i++) { // the innermost comes first
                        numbers[leaf - 1 - i] =
                                frames.computeIfAbsent(path[i], text -> frame(block, text));
                    }
                    // Without the slashes of the flame sampler and the marks of async-profiler.
                    String name = path[leaf].replaceAll("_\\[[a-z0-9]+]$", "").replace('/', '.');
                    int number = block.stack(false, numbers);
                    block.site(number, block.name(name), 1, 1, 0, figure, 0, figure, -1);
                });
        try {
            return HeapSnapshot.read(new ByteArrayInputStream(block.block()));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // Reading from memory cannot fail.
        }
    }

    private static int frame(BlockBuilder block, String text) {
        Matcher parts = FRAME.matcher(text);
        parts.matches(); // always
        String owner = parts.group(1) == null ? "(no class)" : parts.group(1).replace('/', '.');
        String line = parts.group(3);
        boolean hasLine = line != null && line.length() < 9;
        int number = hasLine ? Math.max(Integer.parseInt(line), -1) : -1;
        return block.frame(owner, owner, parts.group(2), "", "", number, 0);
    }
}
