// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Temp files of killed processes, next to the files that they would have become. */
final class Leftovers {

    /** A file that is being written grows; one that has not grown for this long has no writer. */
    static final Duration QUIET = Duration.ofMinutes(1);

    private Leftovers() {}

    /** Deletes the leftovers of one file. */
    static void delete(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        try {
            if (folder != null) {
                delete(folder, Pattern.quote(String.valueOf(file.getFileName())));
            }
        } catch (AccessDeniedException e) {
            // A folder may be writable without being readable.
        }
    }

    /** Deletes the leftovers of files whose names match a regular expression. */
    static void delete(Path folder, String names) throws IOException {
        Instant latest = Instant.now().minus(QUIET);
        for (Path part : files(folder, Pattern.compile(names + "\\.[0-9a-f]+\\.part"))) {
            try {
                if (Files.getLastModifiedTime(part).toInstant().isBefore(latest)) {
                    Files.deleteIfExists(part);
                }
            } catch (NoSuchFileException e) {
                // Its writer was done with it, or another agent deleted it.
            }
        }
    }

    /** Returns the files of a folder with such names, in no order. */
    static List<Path> files(Path folder, Pattern names) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> names.matcher(String.valueOf(file.getFileName())).matches())
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
