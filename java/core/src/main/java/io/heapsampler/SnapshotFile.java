// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.io.IOException;
import java.io.InputStream;

/** Reads a snapshot in its own format. */
final class SnapshotFile {

    /** What an array can hold. */
    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    private SnapshotFile() {}

    /** Reads to the end; {@code name} is for messages. */
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
}
