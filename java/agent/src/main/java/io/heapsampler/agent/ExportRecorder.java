// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.Exports;
import io.heapsampler.export.HeapMetric;
import java.io.IOException;
import java.nio.file.Path;

/** Keeps one file in one of the export formats up to date. */
final class ExportRecorder implements Recorder {

    private final Path file;
    private final ExportFormat format;
    private final ExportOptions options;
    private boolean isCleared;

    ExportRecorder(AgentOptions options, ExportFormat format) {
        this.file = options.outputFile;
        this.format = format;
        HeapMetric metric = options.isLive ? HeapMetric.LIVE_BYTES : HeapMetric.ALLOCATED_BYTES;
        this.options = ExportOptions.builder().metric(metric).build();
    }

    @Override
    public void write(HeapSnapshot snapshot, boolean isLast) throws IOException {
        if (!isCleared) {
            Leftovers.delete(file);
            isCleared = true;
        }
        Exports.write(snapshot, file, format, options);
    }
}
