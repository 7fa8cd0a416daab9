// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.OutputStream;

/** The snapshot itself, all of it, whatever the options say. */
final class HsnapExporter implements Exporter {

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        snapshot.writeTo(out);
    }
}
