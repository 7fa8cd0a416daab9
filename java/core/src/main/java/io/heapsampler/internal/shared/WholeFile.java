// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Files that nobody ever reads half of. */
public final class WholeFile {

    private WholeFile() {}

    /** Something that writes to a stream. */
    @FunctionalInterface
    public interface Content {

        /** Writes all of it. The stream stays open. */
        void to(OutputStream out) throws IOException;
    }

    /**
     * Writes a file as a whole or not at all: under another name beside it, which is then given up
     * for its own. What is there and is no plain file, such as a pipe, is written to directly.
     *
     * @throws IOException if it cannot be written; then nothing new stays, and what was there does
     */
    public static void replace(Path file, Content content) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            try (OutputStream out = Files.newOutputStream(file)) {
                content.to(out);
            }
            return;
        }
        String name = file.getFileName() + "." + Long.toHexString(System.nanoTime()) + ".part";
        Path part = file.resolveSibling(name);
        try {
            try (OutputStream out = Files.newOutputStream(part, StandardOpenOption.CREATE_NEW)) {
                content.to(out);
            }
            // In one step: to replace a file in Java's own way is to delete it first.
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
