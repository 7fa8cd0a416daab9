// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAges;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapHistogram;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.LabelTotals;
import io.heapsampler.Liveness;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.ThreadTotals;
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.LabelPart;
import io.heapsampler.export.internal.WrittenLabels;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * The data of a report, as compact JSON for its script: tables in columns, names once each, stacks
 * as paths in one tree. Readers other than {@code model.js} of the same version should use {@link
 * ExportFormat#JSON}.
 */
final class ReportData {

    private final ExportOptions options;
    private final LabelChoice labels;
    private final ReportSites sites = new ReportSites();

    /** Number 0 is that of samples without labels. */
    private final Map<WrittenLabels, Integer> sets = new LinkedHashMap<>();

    private final Map<ThreadKey, Integer> threads = new LinkedHashMap<>();

    ReportData(ExportOptions options) {
        this.options = options;
        this.labels = options.labels();
        Json.number(sets, WrittenLabels.NONE);
    }

    /** Threads of two snapshots are the same when both are equal. */
    private record ThreadKey(String name, long id) {}

    /** One entry of a histogram. */
    private record Entry(int site, int bucket, double objects) {}

    /** A part of a site, and its number in the report, which several may have. */
    private record Part(LabelPart figures, int number) {}

    /**
     * The sites of one snapshot.
     *
     * @param parts those of each site, by set of labels; there is one at least
     */
    private record Rows(List<SiteRow> sites, List<List<Part>> parts) {}

    private Rows rows(HeapSnapshot snapshot) {
        List<SiteRow> rows = SiteRow.of(snapshot, options, labels);
        List<List<Part>> parts = new ArrayList<>(rows.size());
        for (SiteRow row : rows) {
            List<Part> ofRow = new ArrayList<>(1);
            for (LabelPart each : row.parts()) {
                int set = Json.number(sets, each.labels());
                ofRow.add(new Part(each, sites.numberOf(row, set)));
            }
            parts.add(ofRow);
        }
        return new Rows(rows, parts);
    }

    /** Writes one snapshot, or two, the earlier one first. */
    void write(OutputStream out, List<HeapSnapshot> snapshots) throws IOException {
        List<Rows> rows = new ArrayList<>();
        for (HeapSnapshot snapshot : snapshots) {
            rows.add(rows(snapshot));
            snapshot.threads().forEach(this::numberOf);
        }
        Json json = new Json(out);
        json.begin('{');
        json.name("title").value(options.title());
        json.name("metric").value(options.metric().name());
        json.name("threads").begin('{');
        json.texts("name", threads.keySet(), ThreadKey::name);
        json.column("id", threads.keySet(), ThreadKey::id);
        json.end('}');
        json.name("snapshots").begin('[');
        for (int i = 0; i < snapshots.size(); i++) {
            writeSnapshot(json, snapshots.get(i), rows.get(i));
        }
        json.end(']');
        boolean isLabelled = sets.size() > 1;
        sites.write(json, isLabelled);
        if (isLabelled) {
            json.objects("labels", sets.keySet(), set -> writeLabels(json, set));
        }
        json.end('}');
        json.finish();
    }

    /** Keys and values are not names of entries, because a key can be that of any method. */
    private static void writeLabels(Json json, WrittenLabels set) {
        json.name("pairs").begin('[');
        set.values().forEach((key, value) -> json.value(key).value(value));
        json.end(']');
        json.flag("other", set.isOther());
    }

    private int numberOf(ThreadTotals thread) {
        String name = options.threadNames().apply(thread.threadName());
        return Json.number(threads, new ThreadKey(name, thread.threadId().orElse(-1)));
    }

    private void writeSnapshot(Json json, HeapSnapshot snapshot, Rows rows) throws IOException {
        json.begin('{');
        writeHead(json, snapshot);
        int count = sites.count();
        json.name("bySite").begin('{');
        List<Part> all = rows.parts.stream().flatMap(List::stream).toList();
        int[] numbers = all.stream().mapToInt(Part::number).toArray();
        writeAmounts(json, "allocated", count, numbers, i -> all.get(i).figures.allocated());
        writeAmounts(json, "live", count, numbers, i -> all.get(i).figures.live());
        writeAmounts(json, "unconfirmed", count, numbers, i -> all.get(i).figures.unconfirmed());
        json.end('}');
        List<ThreadTotals> totals = snapshot.threads();
        numbers = totals.stream().mapToInt(this::numberOf).toArray();
        count = threads.size();
        json.name("byThread").begin('{');
        writeAmounts(json, "allocated", count, numbers, i -> totals.get(i).allocated());
        writeAmounts(json, "live", count, numbers, i -> totals.get(i).live());
        writeAmounts(json, "unconfirmed", count, numbers, i -> totals.get(i).unconfirmed());
        json.end('}');
        writeHistograms(json, "ages", rows, LabelTotals::ages);
        writeHistograms(json, "lifetimes", rows, LabelTotals::lifetimes);
        json.figures("meanAge", meanAges(rows, snapshot.takenAt()), 1);
        json.end('}');
    }

    private static void writeHead(Json json, HeapSnapshot snapshot) throws IOException {
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
        json.notesAndDrops(snapshot);
    }

    /** Writes one amount of each row of a table, as columns. Amounts with equal numbers add up. */
    private static void writeAmounts(
            Json json, String name, int rows, int[] numbers, IntFunction<HeapAmount> amounts)
            throws IOException {
        double[] bytes = new double[rows];
        double[] bytesError = new double[rows];
        double[] objects = new double[rows];
        double[] objectsError = new double[rows];
        double[] sampledBytes = new double[rows];
        double[] samples = new double[rows];
        for (int i = 0; i < numbers.length; i++) {
            HeapAmount amount = amounts.apply(i);
            int row = numbers[i];
            bytes[row] += amount.bytes().value();
            bytesError[row] += variance(amount.bytes());
            objects[row] += amount.objects().value();
            objectsError[row] += variance(amount.objects());
            sampledBytes[row] += amount.sampledBytes();
            samples[row] += amount.samples();
        }
        for (int i = 0; i < rows; i++) {
            bytesError[i] = Math.sqrt(bytesError[i]);
            objectsError[i] = Math.sqrt(objectsError[i]);
        }
        json.name(name).begin('{');
        json.figures("bytes", bytes, 1);
        json.figures("bytesError", bytesError, 1);
        json.figures("objects", objects, 10);
        json.figures("objectsError", objectsError, 10);
        json.figures("sampledBytes", sampledBytes, 1);
        json.figures("samples", samples, 1);
        json.end('}');
    }

    private static double variance(Estimate estimate) {
        return estimate.standardError() * estimate.standardError();
    }

    /** Writes the entries that are not 0, in columns. Entries of the same part add up. */
    private void writeHistograms(
            Json json, String name, Rows rows, Function<LabelTotals, HeapAges> agesOf)
            throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (SiteRow row : rows.sites) {
            HeapSite site = row.site();
            for (LabelTotals part : site == null ? List.<LabelTotals>of() : site.labels()) {
                int number = sites.numberOf(row, Json.number(sets, labels.of(part)));
                HeapAges ages = agesOf.apply(part);
                collect(entries, number, ages.byTime(), 0);
                // Their numbers follow those of the buckets by time.
                collect(entries, number, ages.byCollections(), LiveGroup.AGES.length);
            }
        }
        json.name(name).begin('{');
        json.column("site", entries, Entry::site);
        json.column("bucket", entries, Entry::bucket);
        json.figures("objects", entries.stream().mapToDouble(Entry::objects).toArray(), 10);
        json.end('}');
    }

    private static void collect(List<Entry> entries, int site, HeapHistogram histogram, int from) {
        for (int i = 0; i < histogram.buckets(); i++) {
            if (histogram.objects(i) > 0) {
                entries.add(new Entry(site, from + i, histogram.objects(i)));
            }
        }
    }

    /** The mean age of the objects of each site that are not known dead, in milliseconds. */
    private double[] meanAges(Rows rows, Instant takenAt) {
        double[] objects = new double[sites.count()];
        double[] millis = new double[objects.length];
        for (int i = 0; i < rows.sites.size(); i++) {
            List<Part> parts = rows.parts.get(i);
            Map<WrittenLabels, Integer> numbers = new HashMap<>();
            parts.forEach(part -> numbers.put(part.figures.labels(), part.number));
            for (HeapSample sample : rows.sites.get(i).samples()) {
                if (sample.liveness() != Liveness.DEAD) {
                    int number = numbers.getOrDefault(labels.of(sample), parts.get(0).number);
                    double nanos = Duration.between(sample.allocatedAt(), takenAt).toNanos();
                    objects[number] += sample.weight();
                    millis[number] += sample.weight() * Math.max(0, nanos / 1e6);
                }
            }
        }
        for (int i = 0; i < millis.length; i++) {
            millis[i] = objects[i] > 0 ? millis[i] / objects[i] : 0;
        }
        return millis;
    }
}
