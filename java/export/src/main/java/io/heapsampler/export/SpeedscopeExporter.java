// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.gson.stream.JsonWriter;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** The file format of speedscope: one profile for each of the four figures, over shared frames. */
final class SpeedscopeExporter implements Exporter {

    private static final String SCHEMA = "https://www.speedscope.app/file-format-schema.json";

    private final ExportOptions options;

    SpeedscopeExporter(ExportOptions options) {
        this.options = options;
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        JsonWriter json = Json.writer(out);
        FunctionIndex frames = new FunctionIndex();
        List<SiteRow> rows = SiteRow.of(snapshot, options);
        json.beginObject();
        json.name("$schema").value(SCHEMA);
        json.name("exporter").value("heapsampler");
        json.name("name").value("Heap at " + snapshot.takenAt());
        json.name("activeProfileIndex").value(options.metric().ordinal());
        json.name("profiles").beginArray();
        for (HeapMetric metric : HeapMetric.values()) {
            writeProfile(json, metric, rows, frames);
        }
        json.endArray();
        json.name("shared").beginObject();
        writeFrames(json, frames);
        json.endObject();
        json.endObject();
        json.flush();
    }

    private static void writeProfile(
            JsonWriter json, HeapMetric metric, List<SiteRow> rows, FunctionIndex frames)
            throws IOException {
        json.beginObject();
        json.name("type").value("sampled");
        json.name("name").value(metric.pprofName());
        json.name("unit").value(metric.unit().equals("bytes") ? "bytes" : "none");
        json.name("startValue").value(0);
        long end = 0;
        json.name("samples").beginArray();
        for (SiteRow row : rows) {
            long value = Math.round(row.value(metric));
            if (value > 0) {
                end += value;
                writeStack(json, frames.stackOf(row));
            }
        }
        json.endArray();
        json.name("endValue").value(end);
        json.name("weights").beginArray();
        for (SiteRow row : rows) {
            long value = Math.round(row.value(metric));
            if (value > 0) {
                json.value(value);
            }
        }
        json.endArray();
        json.endObject();
    }

    /** Root first. */
    private static void writeStack(JsonWriter json, int[] stack) throws IOException {
        json.beginArray();
        for (int i = stack.length - 1; i >= 0; i--) {
            json.value(stack[i]);
        }
        json.endArray();
    }

    private static void writeFrames(JsonWriter json, FunctionIndex frames) throws IOException {
        json.name("frames").beginArray();
        for (FunctionIndex.Entry entry : frames.all()) {
            json.beginObject();
            json.name("name").value(entry.name());
            HeapFrame frame = entry.frame();
            if (frame != null && frame.fileName() != null) {
                json.name("file").value(frame.fileName());
                if (frame.lineNumber().isPresent()) {
                    json.name("line").value(frame.lineNumber().getAsInt());
                }
            }
            json.endObject();
        }
        json.endArray();
    }
}
