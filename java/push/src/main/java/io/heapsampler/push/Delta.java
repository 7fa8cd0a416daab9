// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.internal.Exporting;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one interval: the allocations in it, and all that is live at its end.
 *
 * @param diff null if all that the snapshot has belongs to this interval
 */
record Delta(HeapSnapshot now, @Nullable HeapDiff diff) {

    Instant from() {
        return diff == null ? now.startedAt() : diff.earlier().takenAt();
    }

    Instant until() {
        return now.takenAt();
    }

    boolean isEmpty() {
        HeapAmount allocated = diff == null ? now.totals().allocated() : diff.allocated();
        return Math.round(allocated.bytes().value()) == 0
                && Math.round(now.totals().live().bytes().value()) == 0;
    }

    void writePprof(OutputStream out, ExportOptions options) throws IOException {
        if (diff == null) {
            now.writeTo(out, ExportFormat.PPROF.with(options));
        } else {
            Exporting.get().writeDeltaHeap(diff, out, options);
        }
    }

    void writeOtlp(Map<String, String> resource, OutputStream out, ExportOptions options)
            throws IOException {
        if (diff == null) {
            Exporting.get().writeOtlp(now, resource, out, options);
        } else {
            Exporting.get().writeOtlp(diff, resource, out, options);
        }
    }
}
