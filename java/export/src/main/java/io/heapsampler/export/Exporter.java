// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes snapshots in one format with one set of options. Immutable and thread-safe.
 *
 * <p>Equal snapshots give equal bytes. The output grows with the number of sites, which {@link
 * ExportOptions#maxSites()} bounds, and is not kept in memory as a whole; only JFR files are, by
 * the library that makes them.
 */
interface Exporter {

    /**
     * Writes a snapshot.
     *
     * @param out the destination, flushed and left open; it needs no buffer of its own
     */
    void export(HeapSnapshot snapshot, OutputStream out) throws IOException;
}
