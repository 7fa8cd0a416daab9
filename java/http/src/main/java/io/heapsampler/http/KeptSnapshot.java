// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** A snapshot that waits for a later one, compressed and within the budget of the responses. */
final class KeptSnapshot implements AutoCloseable {

    private final Rendered packed;
    private boolean isClosed;

    KeptSnapshot(Rendered packed) {
        this.packed = packed;
    }

    static void pack(HeapSnapshot snapshot, OutputStream out) throws IOException {
        GZIPOutputStream gzip = new GZIPOutputStream(out);
        snapshot.writeTo(gzip);
        gzip.finish();
    }

    HeapSnapshot read() throws IOException {
        return HeapSnapshot.read(new GZIPInputStream(packed.input()));
    }

    /** Gives the memory back. Can be called twice. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            packed.release();
        }
    }
}
