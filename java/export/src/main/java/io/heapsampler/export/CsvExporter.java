// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.LabelPart;
import io.heapsampler.export.internal.WrittenLabels;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The sites as a table, as RFC 4180 describes it. The stack is one cell, leaf first. In a snapshot
 * with labels each key has a column, and a site a line for each set of labels.
 */
final class CsvExporter implements ExportFormat.Exporter {

    private static final String COLUMNS =
            """
            class,\
            allocated_bytes,allocated_bytes_error,allocated_objects,allocated_objects_error,\
            live_bytes,live_bytes_error,live_objects,live_objects_error,\
            unconfirmed_bytes,unconfirmed_bytes_error,unconfirmed_objects,unconfirmed_objects_error,\
            allocated_samples,live_samples,stack\
            """;

    /** Of the columns of labels. */
    private static final int MAX_KEYS = 64;

    private final ExportOptions options;

    CsvExporter(ExportOptions options) {
        this.options = options;
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        Writer text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
        LabelChoice labels = options.labels();
        List<String> keys = keys(snapshot, labels);
        text.append(COLUMNS);
        for (String key : keys) {
            text.append(',').append(cell("label:" + key));
        }
        text.append("\r\n");
        Map<HeapFrame, String> frames = new HashMap<>();
        for (SiteRow row : SiteRow.of(snapshot, options, labels)) {
            String stack = cell(stack(row, frames));
            for (LabelPart part : row.parts()) {
                text.append(cell(row.className())).append(',');
                writeAmount(text, part.allocated());
                writeAmount(text, part.live());
                writeAmount(text, part.unconfirmed());
                text.append(Long.toString(part.allocated().samples())).append(',');
                text.append(Long.toString(part.live().samples())).append(',').append(stack);
                for (String key : keys) {
                    text.append(',').append(cell(value(part.labels(), key)));
                }
                text.append("\r\n");
            }
        }
        text.flush();
    }

    private static List<String> keys(HeapSnapshot snapshot, LabelChoice labels) {
        return snapshot.labels().stream()
                .map(labels::of)
                .filter(written -> !written.isNone())
                .flatMap(written -> labels.pairs(written).keySet().stream())
                .distinct()
                .sorted()
                .limit(MAX_KEYS)
                .toList();
    }

    private static String value(WrittenLabels labels, String key) {
        return labels.isOther() ? SiteRow.OTHER : labels.values().getOrDefault(key, "");
    }

    private static String stack(SiteRow row, Map<HeapFrame, String> frames) {
        Stream<String> texts =
                row.stack().stream()
                        .map(frame -> frames.computeIfAbsent(frame, HeapFrame::toString));
        return Stream.concat(texts, Stream.ofNullable(row.ending()))
                .collect(Collectors.joining(" < "));
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
