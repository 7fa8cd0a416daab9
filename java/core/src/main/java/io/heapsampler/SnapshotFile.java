// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Saved snapshots: the snapshot block is the format of the file. */
final class SnapshotFile {

    /** What an array can hold. */
    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    private SnapshotFile() {}

    /**
     * Reads a stream to its end.
     *
     * @param name what it is, for messages
     */
    static HeapSnapshot read(InputStream in, String name) throws IOException {
        byte[] block = in.readNBytes(MAX_BYTES);
        if (block.length == MAX_BYTES && in.read() >= 0) {
            throw new IOException(
                    "Cannot read " + name + ": more than 2 GiB are no snapshot. Check the file.");
        }
        try {
            return HeapSnapshot.decode(block);
        } catch (IllegalArgumentException e) {
            throw new IOException("Cannot read " + name + ": " + e.getMessage(), e);
        }
    }

    /** Writes a file as a whole or not at all: under another name beside it first. */
    static void replace(Path file, byte[] block) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            Files.write(file, block); // a pipe, say
            return;
        }
        String name = file.getFileName() + "." + Long.toHexString(System.nanoTime()) + ".part";
        Path part = file.resolveSibling(name);
        try {
            Files.write(part, block, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
