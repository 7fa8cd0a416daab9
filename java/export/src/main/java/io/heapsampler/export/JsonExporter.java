// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.gson.stream.JsonWriter;
import io.heapsampler.ClassTotals;
import io.heapsampler.DropCause;
import io.heapsampler.Estimate;
import io.heapsampler.HeapAges;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapHistogram;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import io.heapsampler.ThreadTotals;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * All of a snapshot as JSON, as {@code schema.json} describes it. Frames are numbered as sites need
 * them and stand behind the sites, so that nothing has to be kept but their numbers.
 */
final class JsonExporter implements Exporter {

    /** Also in {@code schema.json}. */
    private static final String SCHEMA = "urn:heapsampler:snapshot:1";

    /**
     * Raise the second number for new entries, the first one, and with it the schema's name, for
     * others.
     */
    private static final String VERSION = "1.1";

    private final ExportOptions options;

    JsonExporter(ExportOptions options) {
        this.options = options;
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        JsonWriter json = Json.writer(out);
        json.beginObject();
        json.name("schema").value(SCHEMA);
        json.name("version").value(VERSION);
        writeHead(json, snapshot);
        json.name("totals").beginObject();
        writeFigures(json, snapshot.totals());
        json.endObject();
        writeBounds(json);
        FrameIndex frames = new FrameIndex();
        List<SiteRow> rows = SiteRow.of(snapshot, options);
        writeSites(json, rows, frames);
        writeFrames(json, frames);
        writeClasses(json, snapshot);
        writeThreads(json, snapshot);
        if (options.hasSamples()) {
            writeSamples(json, rows);
        }
        json.endObject();
        json.flush();
    }

    private static void writeHead(JsonWriter json, HeapSnapshot snapshot) throws IOException {
        json.name("snapshot").beginObject();
        json.name("startedAt").value(text(snapshot.startedAt()));
        json.name("takenAt").value(text(snapshot.takenAt()));
        json.name("sampledMillis").value(snapshot.duration().toMillis());
        json.name("interval").value(snapshot.interval());
        json.name("strategy").value(snapshot.strategy().toString());
        json.name("collections").value(snapshot.collections());
        json.name("afterGc").value(snapshot.isAfterGc());
        json.name("collector").value(snapshot.collector().name());
        json.endObject();
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

    /** The least age in each bucket of a histogram. */
    private static void writeBounds(JsonWriter json) throws IOException {
        json.name("ageBounds").beginObject();
        Json.longs(json, "millis", Buckets.BY_TIME);
        Json.longs(json, "collections", Buckets.BY_COLLECTIONS);
        json.endObject();
    }

    private static void writeSites(JsonWriter json, List<SiteRow> rows, FrameIndex frames)
            throws IOException {
        json.name("sites").beginArray();
        for (SiteRow row : rows) {
            json.beginObject();
            json.name("class").value(row.className());
            json.name("stack").beginArray();
            for (HeapFrame frame : row.stack()) {
                json.value(frames.numberOf(frame));
            }
            json.endArray();
            writeAmount(json, "allocated", row.allocated());
            writeAmount(json, "live", row.live());
            writeAmount(json, "unconfirmed", row.unconfirmed());
            HeapSite site = row.site();
            Json.flag(json, "truncated", site != null && site.isTruncated());
            Json.flag(json, "other", site == null || site.isOther());
            if (site != null) {
                writeAges(json, "ages", site.ages());
                writeAges(json, "lifetimes", site.lifetimes());
            }
            json.endObject();
        }
        json.endArray();
    }

    private static void writeFrames(JsonWriter json, FrameIndex frames) throws IOException {
        json.name("frames").beginArray();
        for (HeapFrame frame : frames.all()) {
            json.beginObject();
            json.name("class").value(frame.className());
            json.name("method").value(frame.methodName());
            json.name("descriptor").value(frame.descriptor());
            if (frame.fileName() != null) {
                json.name("file").value(frame.fileName());
            }
            if (frame.lineNumber().isPresent()) {
                json.name("line").value(frame.lineNumber().getAsInt());
            }
            if (!frame.rawClassName().equals(frame.className())) {
                json.name("rawClass").value(frame.rawClassName());
            }
            Json.flag(json, "hidden", frame.isHidden());
            Json.flag(json, "native", frame.isNative());
            json.endObject();
        }
        json.endArray();
    }

    private static void writeClasses(JsonWriter json, HeapSnapshot snapshot) throws IOException {
        json.name("classes").beginArray();
        for (ClassTotals totals : snapshot.classes()) {
            json.beginObject();
            json.name("class").value(totals.className());
            writeFigures(json, totals);
            json.endObject();
        }
        json.endArray();
    }

    private void writeThreads(JsonWriter json, HeapSnapshot snapshot) throws IOException {
        json.name("threads").beginArray();
        for (ThreadTotals totals : snapshot.threads()) {
            json.beginObject();
            json.name("thread").value(options.threadNames().apply(totals.threadName()));
            json.name("id").value(totals.threadId().orElse(-1));
            writeFigures(json, totals);
            json.endObject();
        }
        json.endArray();
    }

    /** The samples of the sites that are written, with the position of the site. */
    private void writeSamples(JsonWriter json, List<SiteRow> rows) throws IOException {
        json.name("samples").beginArray();
        for (int i = 0; i < rows.size(); i++) {
            HeapSite site = rows.get(i).site();
            for (HeapSample sample : site == null ? List.<HeapSample>of() : site.samples()) {
                writeSample(json, sample, i);
            }
        }
        json.endArray();
    }

    private void writeSample(JsonWriter json, HeapSample sample, int site) throws IOException {
        json.beginObject();
        json.name("site").value(site);
        json.name("size").value(sample.size());
        Json.figure(json, "weight", sample.weight());
        json.name("liveness").value(sample.liveness().name());
        json.name("allocatedAt").value(text(sample.allocatedAt()));
        json.name("collectionsSurvived").value(sample.collectionsSurvived());
        json.name("thread").value(options.threadNames().apply(sample.threadName()));
        json.name("threadId").value(sample.threadId().orElse(-1));
        Instant seen = sample.lastSeenAliveAt();
        Instant found = sample.foundDeadAt();
        if (seen != null && found != null) {
            json.name("lastSeenAliveAt").value(text(seen));
            json.name("foundDeadAt").value(text(found));
        }
        json.endObject();
    }

    private static void writeFigures(JsonWriter json, HeapFigures figures) throws IOException {
        writeAmount(json, "allocated", figures.allocated());
        writeAmount(json, "live", figures.live());
        writeAmount(json, "unconfirmed", figures.unconfirmed());
    }

    private static void writeAmount(JsonWriter json, String name, HeapAmount amount)
            throws IOException {
        json.name(name).beginObject();
        json.name("samples").value(amount.samples());
        json.name("sampledBytes").value(amount.sampledBytes());
        writeEstimate(json, "bytes", amount.bytes());
        writeEstimate(json, "objects", amount.objects());
        json.endObject();
    }

    private static void writeEstimate(JsonWriter json, String name, Estimate estimate)
            throws IOException {
        json.name(name).beginObject();
        Json.figure(json, "value", estimate.value());
        Json.figure(json, "error", estimate.standardError());
        Json.figure(json, "low", estimate.low());
        Json.figure(json, "high", estimate.high());
        Json.flag(json, "tooFewSamples", estimate.hasTooFewSamples());
        json.endObject();
    }

    private static void writeAges(JsonWriter json, String name, HeapAges ages) throws IOException {
        json.name(name).beginObject();
        json.name("samples").value(ages.samples());
        writeHistogram(json, "byMillis", ages.byTime());
        writeHistogram(json, "byCollections", ages.byCollections());
        json.endObject();
    }

    /** Without the empty buckets at the end. */
    private static void writeHistogram(JsonWriter json, String name, HeapHistogram histogram)
            throws IOException {
        int end = histogram.buckets();
        while (end > 0 && histogram.objects(end - 1) == 0) {
            end--;
        }
        json.name(name).beginArray();
        for (int i = 0; i < end; i++) {
            Json.figure(json, histogram.objects(i));
        }
        json.endArray();
    }

    /** ISO 8601 in UTC, with as many digits as the time has. */
    private static String text(Instant time) {
        return time.toString();
    }
}
