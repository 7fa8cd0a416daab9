// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The file format of speedscope: one profile for each of the four figures, over shared frames. */
final class SpeedscopeExporter implements ExportFormat.Exporter {

    private static final String SCHEMA = "https://www.speedscope.app/file-format-schema.json";

    private final ExportOptions options;

    SpeedscopeExporter(ExportOptions options) {
        this.options = options;
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        Json json = new Json(out);
        Map<Object, Integer> frames = new LinkedHashMap<>();
        List<SiteRow> rows = SiteRow.of(snapshot, options);
        json.begin('{');
        json.name("$schema").value(SCHEMA);
        json.name("exporter").value("heapsampler");
        json.name("name").value("Heap at " + snapshot.takenAt());
        json.name("activeProfileIndex").value(options.metric().ordinal());
        json.name("profiles").begin('[');
        for (HeapMetric metric : HeapMetric.values()) {
            writeProfile(json, metric, rows, frames);
        }
        json.end(']');
        json.name("shared").begin('{');
        json.objects("frames", frames.keySet(), frame -> writeFrame(json, frame));
        json.end('}');
        json.end('}');
        json.finish();
    }

    private static void writeProfile(
            Json json, HeapMetric metric, List<SiteRow> all, Map<Object, Integer> frames)
            throws IOException {
        List<SiteRow> rows = all.stream().filter(row -> value(row, metric) > 0).toList();
        json.begin('{');
        json.name("type").value("sampled");
        json.name("name").value(metric.pprofName());
        json.name("unit").value(metric.unit().equals("bytes") ? "bytes" : "none");
        json.name("startValue").value(0);
        json.name("samples").begin('[');
        for (SiteRow row : rows) {
            writeStack(json, row, frames);
            json.drain();
        }
        json.end(']');
        json.name("endValue").value(rows.stream().mapToLong(row -> value(row, metric)).sum());
        json.column("weights", rows, row -> value(row, metric));
        json.end('}');
    }

    private static long value(SiteRow row, HeapMetric metric) {
        return Math.round(row.value(metric));
    }

    /** Numbered from the leaf, written from the root. */
    private static void writeStack(Json json, SiteRow row, Map<Object, Integer> frames) {
        List<Object> stack = row.frames();
        int[] numbers = stack.stream().mapToInt(frame -> Json.number(frames, frame)).toArray();
        json.begin('[');
        for (int i = numbers.length - 1; i >= 0; i--) {
            json.value(numbers[i]);
        }
        json.end(']');
    }

    private static void writeFrame(Json json, Object frame) {
        json.name("name").value(SiteRow.name(frame));
        if (frame instanceof HeapFrame method && method.fileName() != null) {
            json.name("file").value(method.fileName());
            if (method.lineNumber().isPresent()) {
                json.name("line").value(method.lineNumber().getAsInt());
            }
        }
    }
}
