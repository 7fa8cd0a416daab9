// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.gson.stream.JsonWriter;
import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.ThreadTotals;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjIntConsumer;

/**
 * What a report shows, as compact JSON for its script: tables in columns, names once each, stacks
 * as paths in one tree. Readers other than {@code model.js} of the same version should take {@link
 * ExportFormat#JSON}.
 */
final class ReportData {

    private final ExportOptions options;
    private final ReportSites sites = new ReportSites();
    private final Map<ThreadKey, Integer> threads = new LinkedHashMap<>();

    ReportData(ExportOptions options) {
        this.options = options;
    }

    /** Threads of two snapshots are the same when both are equal. */
    private record ThreadKey(String name, long id) {}

    /** The sites of one snapshot with their numbers in the report. */
    record Rows(List<SiteRow> rows, List<Integer> numbers) {

        static Rows of(List<SiteRow> rows, ReportSites sites) {
            return new Rows(rows, rows.stream().map(sites::numberOf).toList());
        }

        void forEach(ObjIntConsumer<SiteRow> action) {
            for (int i = 0; i < rows.size(); i++) {
                action.accept(rows.get(i), numbers.get(i));
            }
        }
    }

    /** Writes one snapshot, or two, the earlier one first. */
    void write(OutputStream out, String title, List<HeapSnapshot> snapshots) throws IOException {
        List<Rows> rows = new ArrayList<>();
        for (HeapSnapshot snapshot : snapshots) {
            rows.add(Rows.of(SiteRow.of(snapshot, options), sites));
            snapshot.threads().forEach(this::numberOf);
        }
        JsonWriter json = Json.writer(out);
        json.beginObject();
        json.name("title").value(title);
        json.name("metric").value(options.metric().name());
        writeThreads(json);
        json.name("snapshots").beginArray();
        for (int i = 0; i < snapshots.size(); i++) {
            writeSnapshot(json, snapshots.get(i), rows.get(i));
        }
        json.endArray();
        sites.write(json);
        json.endObject();
        json.flush();
    }

    private int numberOf(ThreadTotals thread) {
        String name = options.threadNames().apply(thread.threadName());
        return threads.computeIfAbsent(
                new ThreadKey(name, thread.threadId().orElse(-1)), key -> threads.size());
    }

    private void writeThreads(JsonWriter json) throws IOException {
        json.name("threads").beginObject();
        json.name("name").beginArray();
        for (ThreadKey thread : threads.keySet()) {
            json.value(thread.name);
        }
        json.endArray();
        json.name("id").beginArray();
        for (ThreadKey thread : threads.keySet()) {
            json.value(thread.id);
        }
        json.endArray();
        json.endObject();
    }

    private void writeSnapshot(JsonWriter json, HeapSnapshot snapshot, Rows rows)
            throws IOException {
        json.beginObject();
        writeHead(json, snapshot);
        ReportFigures bySite = new ReportFigures(sites.count());
        rows.forEach(
                (row, number) ->
                        bySite.add(number, row.allocated(), row.live(), row.unconfirmed()));
        json.name("bySite");
        bySite.write(json);
        ReportFigures byThread = new ReportFigures(threads.size());
        for (ThreadTotals thread : snapshot.threads()) {
            byThread.add(numberOf(thread), thread.allocated(), thread.live(), thread.unconfirmed());
        }
        json.name("byThread");
        byThread.write(json);
        ReportAges.write(json, rows, snapshot.takenAt(), sites.count());
        json.endObject();
    }

    private static void writeHead(JsonWriter json, HeapSnapshot snapshot) throws IOException {
        json.name("startedAt").value(snapshot.startedAt().toEpochMilli());
        json.name("takenAt").value(snapshot.takenAt().toEpochMilli());
        json.name("durationMillis").value(snapshot.duration().toMillis());
        json.name("interval").value(snapshot.interval());
        SamplingStrategy strategy = snapshot.strategy();
        boolean isByBytes = strategy.kind() == SamplingStrategy.Kind.BYTES;
        json.name("strategy").value(isByBytes ? "" : strategy.toString());
        json.name("collections").value(snapshot.collections());
        json.name("afterGc").value(snapshot.isAfterGc());
        json.name("collector").value(snapshot.collector().name());
        json.name("notes").beginArray();
        for (Note note : snapshot.notes()) {
            json.beginObject();
            json.name("id").value(note.id());
            json.name("text").value(note.text());
            json.endObject();
        }
        json.endArray();
        json.name("dropped").beginObject();
        for (Map.Entry<DropCause, Long> each : snapshot.dropped().entrySet()) {
            json.name(each.getKey().name()).value(each.getValue());
        }
        json.endObject();
    }
}
