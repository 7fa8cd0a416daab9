// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The text files beside the classes. Empty lines separate their parts; the first line of a part is
 * its name. Lines that begin with # are comments.
 */
final class Table {

    private static final Map<String, List<String>> NAMES = read("names.txt");

    /** Returns the lines of each part of a file. */
    static Map<String, List<String>> read(String file) {
        Map<String, List<String>> parts = new HashMap<>();
        try (InputStream in = Table.class.getResourceAsStream(file)) {
            byte[] all = requireNonNull(in, "no " + file + " in the doctor's jar").readAllBytes();
            for (String part : new String(all, UTF_8).split("\\R{2,}", -1)) {
                List<String> lines = part.lines().filter(line -> !line.startsWith("#")).toList();
                if (!lines.isEmpty()) {
                    parts.put(lines.get(0), lines.subList(1, lines.size()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return parts;
    }

    /** Returns the lines of a part of {@code names.txt}. */
    static List<String> lines(String part) {
        return NAMES.getOrDefault(part, List.of());
    }

    /** Returns the words of a part of {@code names.txt}. */
    static List<String> words(String part) {
        List<String> words = new ArrayList<>();
        for (String line : lines(part)) {
            words.addAll(List.of(line.split(" ", -1)));
        }
        return words;
    }
}
