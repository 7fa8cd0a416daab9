// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.gson.stream.JsonWriter;
import io.heapsampler.HeapAges;
import io.heapsampler.HeapHistogram;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.Liveness;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** How old the living of each site are, and how old its dead became. */
final class ReportAges {

    /** Buckets by collections are numbered on behind those by time. */
    private static final int TIME_BUCKETS = Buckets.BY_TIME.length;

    private ReportAges() {}

    static void write(JsonWriter json, ReportData.Rows rows, Instant takenAt, int siteCount)
            throws IOException {
        histograms(json.name("ages"), rows, HeapSite::ages);
        histograms(json.name("lifetimes"), rows, HeapSite::lifetimes);
        ReportFigures.column(json.name("meanAge"), meanAges(rows, takenAt, siteCount), 1);
    }

    /** One entry of a histogram. */
    private record Entry(int site, int bucket, double objects) {}

    /** Writes the entries that are not 0, in columns. */
    private static void histograms(
            JsonWriter json, ReportData.Rows rows, Function<HeapSite, HeapAges> agesOf)
            throws IOException {
        List<Entry> entries = new ArrayList<>();
        rows.forEach(
                (row, number) -> {
                    HeapSite site = row.site();
                    if (site != null) {
                        HeapAges ages = agesOf.apply(site);
                        collect(entries, number, ages.byTime(), 0);
                        collect(entries, number, ages.byCollections(), TIME_BUCKETS);
                    }
                });
        json.beginObject();
        column(json.name("site"), entries, Entry::site);
        column(json.name("bucket"), entries, Entry::bucket);
        double[] objects = entries.stream().mapToDouble(Entry::objects).toArray();
        ReportFigures.column(json.name("objects"), objects, 10);
        json.endObject();
    }

    private static void collect(List<Entry> entries, int site, HeapHistogram histogram, int from) {
        for (int i = 0; i < histogram.buckets(); i++) {
            if (histogram.objects(i) > 0) {
                entries.add(new Entry(site, from + i, histogram.objects(i)));
            }
        }
    }

    private static void column(JsonWriter json, List<Entry> entries, Function<Entry, Integer> of)
            throws IOException {
        json.beginArray();
        for (Entry entry : entries) {
            json.value(of.apply(entry));
        }
        json.endArray();
    }

    /**
     * Returns the mean age of the objects of each site that are not known dead, in milliseconds.
     */
    private static double[] meanAges(ReportData.Rows rows, Instant takenAt, int siteCount) {
        double[] objects = new double[siteCount];
        double[] millis = new double[siteCount];
        rows.forEach(
                (row, number) -> {
                    HeapSite site = row.site();
                    for (HeapSample sample :
                            site == null ? List.<HeapSample>of() : site.samples()) {
                        if (sample.liveness() != Liveness.DEAD) {
                            objects[number] += sample.weight();
                            millis[number] += sample.weight() * age(sample, takenAt);
                        }
                    }
                });
        for (int i = 0; i < siteCount; i++) {
            millis[i] = objects[i] > 0 ? millis[i] / objects[i] : 0;
        }
        return millis;
    }

    private static double age(HeapSample sample, Instant takenAt) {
        return Math.max(0, Duration.between(sample.allocatedAt(), takenAt).toNanos() / 1e6);
    }
}
