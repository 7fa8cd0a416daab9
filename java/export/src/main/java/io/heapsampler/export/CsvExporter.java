// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSnapshot;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The sites as a table, as RFC 4180 describes it. The stack is one cell, leaf first. */
final class CsvExporter implements Exporter {

    private static final List<String> COLUMNS =
            List.of(
                    "class",
                    "allocated_bytes",
                    "allocated_bytes_error",
                    "allocated_objects",
                    "allocated_objects_error",
                    "live_bytes",
                    "live_bytes_error",
                    "live_objects",
                    "live_objects_error",
                    "unconfirmed_bytes",
                    "unconfirmed_bytes_error",
                    "unconfirmed_objects",
                    "unconfirmed_objects_error",
                    "allocated_samples",
                    "live_samples",
                    "stack");

    private final ExportOptions options;

    CsvExporter(ExportOptions options) {
        this.options = options;
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        Writer text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
        text.append(String.join(",", COLUMNS)).append("\r\n");
        PerFrame frames = new PerFrame(snapshot, HeapFrame::toString);
        for (SiteRow row : SiteRow.of(snapshot, options)) {
            text.append(cell(row.className())).append(',');
            writeAmount(text, row.allocated());
            writeAmount(text, row.live());
            writeAmount(text, row.unconfirmed());
            text.append(Long.toString(row.allocated().samples())).append(',');
            text.append(Long.toString(row.live().samples())).append(',');
            text.append(cell(stack(row, String.join(" < ", frames.of(row))))).append("\r\n");
        }
        text.flush();
    }

    private static String stack(SiteRow row, String frames) {
        String ending = row.ending();
        if (ending == null) {
            return frames;
        }
        return frames.isEmpty() ? ending : frames + " < " + ending;
    }

    private static void writeAmount(Writer text, HeapAmount amount) throws IOException {
        writeEstimate(text, amount.bytes());
        writeEstimate(text, amount.objects());
    }

    private static void writeEstimate(Writer text, Estimate estimate) throws IOException {
        text.append(Long.toString(Math.round(estimate.value()))).append(',');
        text.append(Long.toString(Math.round(estimate.standardError()))).append(',');
    }

    /** In quotes, and with an apostrophe before what a spreadsheet would take for a formula. */
    private static String cell(String value) {
        String safe =
                !value.isEmpty() && "=+-@\t\r".indexOf(value.charAt(0)) >= 0 ? "'" + value : value;
        return "\"" + safe.replace("\"", "\"\"") + "\"";
    }
}
