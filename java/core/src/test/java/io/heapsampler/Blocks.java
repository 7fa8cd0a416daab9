// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Opens the way from blocks to snapshots, which core keeps for itself. */
public final class Blocks {

    private Blocks() {}

    public static HeapSnapshot decode(byte[] block) {
        return HeapSnapshot.decode(block);
    }

    /** Returns a snapshot that the library wrote, one of those in core. */
    public static HeapSnapshot written(String name) {
        try (InputStream in = HeapSnapshot.class.getResourceAsStream("blocks/" + name)) {
            return decode(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
