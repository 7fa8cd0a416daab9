// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes snapshots in one format. {@link ExportFormat#exporter(ExportOptions)} makes one.
 *
 * <p>Equal snapshots give equal bytes. What is written grows with the number of sites, which {@link
 * ExportOptions#maxSites()} bounds, and is not kept in memory as a whole; only JFR files are, by
 * the library that makes them.
 *
 * <pre>{@code
 * ExportFormat.PPROF.exporter().export(snapshot, response.getOutputStream());
 * }</pre>
 *
 * <p>Exporters are immutable and safe for use by many threads.
 */
public interface Exporter {

    /**
     * Writes a snapshot.
     *
     * @param snapshot what to write
     * @param out where to; it is flushed but stays open, and needs no buffer of its own
     * @throws IOException if it cannot be written to; what was written by then is of no use
     */
    void export(HeapSnapshot snapshot, OutputStream out) throws IOException;
}
