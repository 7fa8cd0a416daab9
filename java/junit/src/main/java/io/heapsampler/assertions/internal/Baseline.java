// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.internal.shared.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A checked-in file with the bytes that tests allocate. An entry holds for one feature release of
 * the JDK: sizes of objects and the JDK's own code differ from release to release. It is a line
 * with the test, the release and the bytes, and an indented line for each site:
 *
 * <pre>
 * com.acme.CartTest.add() @17 = 1,310,784
 *   1,048,592 byte[] com.acme.Cart.add
 * </pre>
 *
 * Written in the order of the names, so that two branches seldom touch the same lines. Several JVMs
 * may update one file at a time.
 */
public final class Baseline {

    private static final int RELEASE = Runtime.version().feature();

    private static final String UPDATE =
            " Run the test once with -Dheapsampler.junit.update=true, and check the file in.";

    /**
     * What one test allocates.
     *
     * @param bytes all of it
     * @param sites bytes by class and place
     */
    record Entry(long bytes, Map<String, Long> sites) {}

    private final Path file;
    private final int release;

    /** Names a file, which need not exist. */
    public Baseline(Path file) {
        this(file, RELEASE);
    }

    /** The same for another release; for tests. */
    Baseline(Path file, int release) {
        this.file = file;
        this.release = release;
    }

    /** Returns the file. */
    public Path file() {
        return file;
    }

    /**
     * Returns the entry of a test for the release that runs, or null if there is none.
     *
     * @throws IllegalArgumentException if the file is damaged
     */
    @Nullable Entry entry(String test) throws IOException {
        return read().entry(test, release);
    }

    /**
     * Returns why a test cannot be compared, and what to do; null if it has an entry.
     *
     * @throws IllegalArgumentException if the file is damaged
     */
    public @Nullable String missing(String test) throws IOException {
        BaselineText text = read();
        if (text.entry(test, release) != null) {
            return null;
        }
        List<Integer> others = text.releases(test);
        String where = file.toAbsolutePath().toString();
        if (others.isEmpty()) {
            return "there is no baseline for it in " + where + "." + UPDATE;
        }
        return "there is no baseline for it and JDK "
                + release
                + " in "
                + where
                + ", only for "
                + BaselineText.releases(others)
                + ". What a test allocates differs from release to release."
                + UPDATE.replace("the test once", "the test once on JDK " + release);
    }

    private BaselineText read() throws IOException {
        return Files.exists(file)
                ? BaselineText.parse(
                        Files.readAllLines(file, StandardCharsets.UTF_8), file.toString())
                : new BaselineText();
    }

    /**
     * Puts an entry in place of the one there is for the release that runs.
     *
     * @return tests of other entries that do not exist any more
     */
    List<String> put(String test, Entry entry) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        Files.createDirectories(directory);
        List<String> tests = new ArrayList<>();
        SharedFile.change(
                file,
                () -> {
                    BaselineText text = read();
                    text.put(test, release, entry);
                    tests.addAll(text.tests());
                    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
                    WholeFile.replace(file, out -> out.write(bytes));
                });
        return StaleTests.of(tests);
    }
}
