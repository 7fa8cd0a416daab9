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

/** Writes what was sampled to files. Called by one thread at a time. */
interface Recorder extends AutoCloseable {

    /**
     * Writes what is new.
     *
     * @param snapshot of the process-wide sampler
     * @param isLast nothing follows
     * @throws IOException if it cannot be written; the message names the file
     */
    void write(HeapSnapshot snapshot, boolean isLast) throws IOException;

    /** In what part of the time it may write at most: 100 for 1 %; 0 where it keeps to its time. */
    default int share() {
        return 100;
    }

    /** Gives back what it holds, however writing went. */
    @Override
    default void close() {}

    /** Creates the requested recorder. */
    static Recorder of(AgentOptions options) {
        return switch (options.recorder) {
            case FLAME ->
                    options.format.isEmpty()
                            ? new FlameRecorder(options)
                            : new ExportRecorder(options, options.format.get());
            case LIFETIME -> new LifetimeRecorder(options);
            case SNAPSHOT ->
                    new SnapshotRecorder(
                            options.outputFile, options.snapshotFiles, options.snapshotBytes);
            case NONE -> (snapshot, isLast) -> {};
        };
    }

    /** Keeps one file in one of the export formats up to date. */
    static final class ExportRecorder implements Recorder {

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
}
