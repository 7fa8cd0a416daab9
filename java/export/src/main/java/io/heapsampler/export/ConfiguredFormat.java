// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import java.io.IOException;
import java.io.OutputStream;

/** A format with options. */
record ConfiguredFormat(ExportFormat format, Exporter exporter) implements SnapshotFormat {

    @Override
    public void write(HeapSnapshot snapshot, OutputStream out) throws IOException {
        exporter.export(snapshot, out);
    }

    @Override
    public String suffix() {
        return format.suffix();
    }

    @Override
    public String mediaType() {
        return format.mediaType();
    }

    @Override
    public String toString() {
        return format + " with options";
    }
}
