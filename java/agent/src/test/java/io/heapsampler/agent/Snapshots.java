// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Snapshots of anything. */
final class Snapshots {

    private Snapshots() {}

    static HeapSnapshot of(BlockWriter block) {
        try {
            return HeapSnapshot.read(new ByteArrayInputStream(block.write()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
