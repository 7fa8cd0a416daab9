// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import java.io.IOException;
import java.nio.file.Path;

/** Keeps one file in one of the export formats up to date. */
final class ExportRecorder implements Recorder {

    private final Path file;
    private final SnapshotFormat format;
    private boolean isCleared;

    ExportRecorder(AgentOptions options, ExportFormat format) {
        this.file = options.outputFile;
        HeapMetric metric = options.isLive ? HeapMetric.LIVE_BYTES : HeapMetric.ALLOCATED_BYTES;
        this.format = format.with(ExportOptions.builder().metric(metric).build());
    }

    @Override
    public void write(HeapSnapshot snapshot, boolean isLast) throws IOException {
        if (!isCleared) {
            Leftovers.delete(file);
            isCleared = true;
        }
        snapshot.writeTo(file, format);
    }
}
