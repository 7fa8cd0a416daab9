// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.export.internal.Exporting;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/** The exports without a public API. */
final class InternalExports extends Exporting {

    @Override
    public SnapshotFormat report(ExportOptions options, String heading, String html) {
        ReportSection section = new ReportSection(heading, html);
        return new ConfiguredFormat(ExportFormat.HTML, new ReportExporter(options, section));
    }

    @Override
    public void writeDeltaHeap(HeapDiff diff, OutputStream out, ExportOptions options)
            throws IOException {
        new PprofExporter(options).exportDeltaHeap(diff, out);
    }

    @Override
    public void writeOtlp(
            HeapDiff diff, Map<String, String> resource, OutputStream out, ExportOptions options)
            throws IOException {
        new OtlpRequest(diff.later(), diff.earlier().takenAt())
                .write(SiteRow.deltaHeap(diff, options), resource, out);
    }

    @Override
    public void writeOtlp(
            HeapSnapshot snapshot,
            Map<String, String> resource,
            OutputStream out,
            ExportOptions options)
            throws IOException {
        new OtlpRequest(snapshot, snapshot.startedAt())
                .write(SiteRow.of(snapshot, options), resource, out);
    }
}
