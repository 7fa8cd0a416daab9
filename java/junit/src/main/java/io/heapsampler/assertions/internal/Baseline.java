// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.export.Exports;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A checked-in file with what tests allocate. An entry is a line with the test and its bytes, and
 * an indented line for each of its sites:
 *
 * <pre>
 * com.acme.CartTest.add() 1310784
 *   1048592 byte[] com.acme.Cart.add
 * </pre>
 *
 * Written in the order of the names, so that two branches seldom touch the same lines.
 */
public final class Baseline {

    /** Tests of one class may run in parallel; files are small and seldom written. */
    private static final Object WRITING = new Object();

    private static final String HEADER =
            "# Bytes that tests allocate, and their sites. Written by HeapSampler; rewritten with"
                    + " -Dheapsampler.update=true.\n";

    /**
     * What one test allocates.
     *
     * @param bytes all of it
     * @param sites bytes by class and place
     */
    record Entry(long bytes, Map<String, Long> sites) {}

    private final Path file;

    /** Names a file, which need not exist. */
    public Baseline(Path file) {
        this.file = file;
    }

    /** Returns the file. */
    public Path file() {
        return file;
    }

    /**
     * Returns the entry of a test, or null if there is none.
     *
     * @throws IllegalArgumentException if the file is damaged
     */
    @Nullable Entry entry(String test) throws IOException {
        return Files.exists(file) ? read().get(test) : null;
    }

    /** Has the test an entry? */
    public boolean has(String test) throws IOException {
        return entry(test) != null;
    }

    private Map<String, Entry> read() throws IOException {
        Map<String, Entry> entries = new TreeMap<>();
        Map<String, Long> sites = new LinkedHashMap<>();
        List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("#") || line.isBlank()) {
                continue;
            }
            boolean isSite = line.startsWith("  ");
            String text = line.trim();
            int space = isSite ? text.indexOf(' ') : text.lastIndexOf(' ');
            if (space < 0) {
                throw damaged(i, line);
            }
            String name = isSite ? text.substring(space + 1) : text.substring(0, space);
            long bytes =
                    number(isSite ? text.substring(0, space) : text.substring(space + 1), i, line);
            if (isSite) {
                sites.put(name, bytes);
            } else {
                sites = new LinkedHashMap<>();
                entries.put(name, new Entry(bytes, sites));
            }
        }
        return entries;
    }

    private long number(String text, int line, String whole) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw damaged(line, whole);
        }
    }

    private IllegalArgumentException damaged(int line, String text) {
        return new IllegalArgumentException(
                "line "
                        + (line + 1)
                        + " of "
                        + file
                        + " is no line of a baseline: \""
                        + text
                        + "\". Restore the file, or write it anew with -Dheapsampler.update=true.");
    }

    /** Puts an entry in place of the one there is. */
    void put(String test, Entry entry) throws IOException {
        synchronized (WRITING) {
            Map<String, Entry> entries = Files.exists(file) ? read() : new TreeMap<>();
            entries.put(test, entry);
            List<String> lines = new ArrayList<>();
            entries.forEach(
                    (name, value) -> {
                        lines.add(name + " " + value.bytes);
                        value.sites.forEach((site, bytes) -> lines.add("  " + bytes + " " + site));
                    });
            Path directory = file.toAbsolutePath().getParent();
            Files.createDirectories(directory);
            String text = HEADER + String.join("\n", lines) + "\n";
            Exports.replace(file, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
        }
    }
}
