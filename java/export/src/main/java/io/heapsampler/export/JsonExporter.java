// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAges;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapHistogram;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.ThreadTotals;
import io.heapsampler.TraceExample;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.LabelPart;
import io.heapsampler.export.internal.WrittenLabels;
import io.heapsampler.internal.shared.HeldByJson;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * All of a snapshot as JSON, as {@code schema.json} describes it. Frames are numbered as sites need
 * them and follow the sites, so that only their numbers are kept.
 */
final class JsonExporter implements ExportFormat.Exporter {

    /** Also in {@code schema.json}. */
    private static final String SCHEMA = "urn:heapsampler:snapshot:1";

    /**
     * Raise the second number for new entries, the first one, and with it the schema's name, for
     * others.
     */
    private static final String VERSION = "1.4";

    private final ExportOptions options;

    JsonExporter(ExportOptions options) {
        this.options = options;
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        Json json = new Json(out);
        json.begin('{');
        json.name("schema").value(SCHEMA).name("version").value(VERSION);
        writeHead(json, snapshot);
        json.notesAndDrops(snapshot);
        json.name("totals").begin('{');
        writeFigures(json, snapshot.totals());
        json.end('}');
        json.name("ageBounds").begin('{');
        json.longs("millis", LongStream.of(LiveGroup.AGES));
        json.longs("collections", LongStream.range(0, 16));
        json.end('}');
        Map<HeapFrame, Integer> frames = new LinkedHashMap<>();
        LabelChoice labels = options.labels();
        List<LabelPart> sets =
                labels.isSeenIn(snapshot) ? labels.parts(snapshot.labels()) : List.of();
        Map<WrittenLabels, Integer> numbers = new HashMap<>();
        sets.forEach(part -> Json.number(numbers, part.labels()));
        List<SiteRow> rows = SiteRow.of(snapshot, options, labels);
        json.objects(
                "sites",
                rows,
                row -> {
                    writeSite(json, row, frames, numbers);
                    writeExamples(
                            json,
                            row,
                            example -> sets.isEmpty() ? null : numbers.get(labels.of(example)));
                });
        json.objects("frames", frames.keySet(), frame -> writeFrame(json, frame));
        json.objects(
                "classes",
                snapshot.classes(),
                totals -> {
                    json.name("class").value(totals.className());
                    writeFigures(json, totals);
                });
        json.objects("threads", snapshot.threads(), totals -> writeThread(json, totals));
        if (!sets.isEmpty()) {
            json.objects("labels", sets, part -> writeLabels(json, part));
        }
        HeldBy answer = options.holdersOf(snapshot);
        if (answer != null) {
            json.name("heldBy");
            HeldByJson.write(answer, json);
        }
        if (options.hasSamples()) {
            writeSamples(
                    json, rows, sample -> sets.isEmpty() ? null : numbers.get(labels.of(sample)));
        }
        json.end('}');
        json.finish();
    }

    private static void writeHead(Json json, HeapSnapshot snapshot) {
        json.name("snapshot").begin('{');
        json.name("startedAt").value(text(snapshot.startedAt()));
        json.name("takenAt").value(text(snapshot.takenAt()));
        json.name("sampledMillis").value(snapshot.duration().toMillis());
        json.name("interval").value(snapshot.interval());
        json.name("strategy").value(snapshot.strategy().toString());
        json.name("collections").value(snapshot.collections());
        json.name("afterGc").value(snapshot.isAfterGc());
        json.name("collector").value(snapshot.collector().name());
        json.end('}');
    }

    private static void writeLabels(Json json, LabelPart part) {
        json.name("set").begin('{');
        part.labels().values().forEach((key, value) -> json.name(key).value(value));
        json.end('}');
        json.flag("other", part.labels().isOther());
        writeFigures(json, part.allocated(), part.live(), part.unconfirmed());
    }

    private static void writeSite(
            Json json,
            SiteRow row,
            Map<HeapFrame, Integer> frames,
            Map<WrittenLabels, Integer> sets) {
        json.name("class").value(row.className());
        json.longs("stack", row.stack().stream().mapToLong(frame -> Json.number(frames, frame)));
        writeFigures(json, row.allocated(), row.live(), row.unconfirmed());
        HeapSite site = row.site();
        json.flag("truncated", site != null && site.isTruncated());
        json.flag("other", site == null || site.isOther());
        if (site != null) {
            writeAges(json, "ages", site.ages());
            writeAges(json, "lifetimes", site.lifetimes());
        }
        if (!row.labelled().isEmpty()) {
            json.name("labels").begin('[');
            for (LabelPart part : row.labelled()) {
                json.begin('{').name("labels").value(Json.number(sets, part.labels()));
                writeFigures(json, part.allocated(), part.live(), part.unconfirmed());
                json.end('}');
            }
            json.end(']');
        }
    }

    private void writeExamples(
            Json json, SiteRow row, Function<TraceExample, @Nullable Integer> labels) {
        HeapSite site = options.hasTraces() ? row.site() : null;
        List<TraceExample> examples = site == null ? List.of() : site.examples();
        if (!examples.isEmpty()) {
            json.name("examples").begin('[');
            examples.forEach(each -> writeExample(json, each, labels.apply(each)));
            json.end(']');
        }
    }

    private static void writeExample(Json json, TraceExample example, @Nullable Integer labels) {
        json.begin('{');
        if (labels != null) {
            json.name("labels").value(labels);
        }
        json.name("traceId").value(example.traceId());
        json.name("spanId").value(example.spanId());
        json.end('}');
    }

    private static void writeFrame(Json json, HeapFrame frame) {
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
        json.flag("hidden", frame.isHidden());
        json.flag("native", frame.isNative());
    }

    private void writeThread(Json json, ThreadTotals totals) {
        json.name("thread").value(options.threadNames().apply(totals.threadName()));
        json.name("id").value(totals.threadId().orElse(-1));
        writeFigures(json, totals);
    }

    /** The samples of the written sites, with the position of the site. */
    private void writeSamples(
            Json json, List<SiteRow> rows, Function<HeapSample, @Nullable Integer> labels)
            throws IOException {
        json.name("samples").begin('[');
        for (int i = 0; i < rows.size(); i++) {
            for (HeapSample sample : rows.get(i).samples()) {
                writeSample(json, sample, i, labels.apply(sample));
                json.drain();
            }
        }
        json.end(']');
    }

    private void writeSample(Json json, HeapSample sample, int site, @Nullable Integer labels) {
        json.begin('{');
        json.name("site").value(site);
        if (labels != null) {
            json.name("labels").value(labels);
        }
        json.name("size").value(sample.size());
        json.figure("weight", sample.weight());
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
        json.end('}');
    }

    private static void writeFigures(Json json, HeapFigures figures) {
        writeFigures(json, figures.allocated(), figures.live(), figures.unconfirmed());
    }

    private static void writeFigures(
            Json json, HeapAmount allocated, HeapAmount live, HeapAmount unconfirmed) {
        writeAmount(json, "allocated", allocated);
        writeAmount(json, "live", live);
        writeAmount(json, "unconfirmed", unconfirmed);
    }

    private static void writeAmount(Json json, String name, HeapAmount amount) {
        json.name(name).begin('{');
        json.name("samples").value(amount.samples());
        json.name("sampledBytes").value(amount.sampledBytes());
        writeEstimate(json, "bytes", amount.bytes());
        writeEstimate(json, "objects", amount.objects());
        json.end('}');
    }

    private static void writeEstimate(Json json, String name, Estimate estimate) {
        json.name(name).begin('{');
        json.figure("value", estimate.value());
        json.figure("error", estimate.standardError());
        json.figure("low", estimate.low());
        json.figure("high", estimate.high());
        json.flag("tooFewSamples", estimate.hasTooFewSamples());
        json.end('}');
    }

    private static void writeAges(Json json, String name, HeapAges ages) {
        json.name(name).begin('{');
        json.name("samples").value(ages.samples());
        writeHistogram(json, "byMillis", ages.byTime());
        writeHistogram(json, "byCollections", ages.byCollections());
        json.end('}');
    }

    /** Without the empty buckets at the end. */
    private static void writeHistogram(Json json, String name, HeapHistogram histogram) {
        int end = histogram.buckets();
        while (end > 0 && histogram.objects(end - 1) == 0) {
            end--;
        }
        json.name(name).begin('[');
        for (int i = 0; i < end; i++) {
            json.figure(histogram.objects(i));
        }
        json.end(']');
    }

    /** ISO 8601 in UTC, with as many digits as the time has. */
    private static String text(Instant time) {
        return time.toString();
    }
}
