// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A file format for {@link HeapSnapshot#writeTo(java.nio.file.Path, SnapshotFormat)}.
 *
 * <p>The constants of {@code ExportFormat} in the module {@code heapsampler-export} implement it,
 * and so can an application:
 *
 * <pre>{@code
 * snapshot.writeTo(Path.of("heap.pb.gz"), ExportFormat.PPROF);
 * }</pre>
 *
 * <p>Implementations are immutable and thread-safe.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public interface SnapshotFormat {

    /**
     * Writes a snapshot. {@link HeapSnapshot#writeTo(OutputStream, SnapshotFormat)} calls this
     * method.
     *
     * @param snapshot the snapshot
     * @param out the destination; the implementation flushes it and does not close it
     * @throws IOException if writing fails; the bytes written so far are then useless
     */
    void write(HeapSnapshot snapshot, OutputStream out) throws IOException;

    /** {@return the usual suffix of file names with its dot, such as {@code .pb.gz}} */
    String suffix();

    /** {@return the media type, such as {@code application/json}} */
    String mediaType();
}
