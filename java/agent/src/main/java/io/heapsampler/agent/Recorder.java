// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSnapshot;
import java.io.IOException;

/** Writes samples to files. Called by one thread at a time. */
interface Recorder extends AutoCloseable {

    /**
     * Writes the samples that are new.
     *
     * @param snapshot of the process-wide sampler
     * @param isLast no other call follows
     * @throws IOException if writing fails; the message names the file
     */
    void write(HeapSnapshot snapshot, boolean isLast) throws IOException;

    /** Releases all resources, even after a failed write. */
    @Override
    default void close() {}

    /**
     * Creates the requested recorder.
     *
     * @throws IOException if its folder cannot be read
     */
    static Recorder of(AgentOptions options) throws IOException {
        return switch (options.recorder) {
            case FLAME -> {
                // The file is replaced as a whole: readers, also after a crash, never see half.
                Leftovers.delete(options.outputFile);
                yield (snapshot, isLast) -> snapshot.writeTo(options.outputFile, options.format);
            }
            case LIFETIME -> new LifetimeRecorder(options);
            case SNAPSHOT ->
                    new SnapshotRecorder(
                            options.outputFile, options.snapshotFiles, options.snapshotBytes);
            case NONE -> (snapshot, isLast) -> {};
        };
    }
}
