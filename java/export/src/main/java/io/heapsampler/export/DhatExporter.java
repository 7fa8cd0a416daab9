// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.gson.stream.JsonWriter;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapHistogram;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The format of DHAT, version 2, which has lifetimes. When the heap was largest is not known, so
 * the time of the snapshot stands for it.
 */
final class DhatExporter implements Exporter {

    /** Microseconds up to which DHAT's viewer calls a life short. */
    private static final int SHORT_LIVED = 10_000;

    private static final int MICROS_PER_MILLI = 1000;

    private final ExportOptions options;

    DhatExporter(ExportOptions options) {
        this.options = options;
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        JsonWriter json = Json.writer(out);
        long end = ChronoUnit.MICROS.between(snapshot.startedAt(), snapshot.takenAt());
        json.beginObject();
        json.name("dhatFileVersion").value(2);
        json.name("mode").value("heap");
        json.name("verb").value("Allocated");
        json.name("bklt").value(true);
        json.name("bkacc").value(false);
        json.name("bu").value("byte");
        json.name("bsu").value("bytes");
        json.name("bksu").value("objects");
        json.name("tu").value("µs");
        json.name("Mtu").value("s");
        json.name("tuth").value(SHORT_LIVED);
        json.name("cmd").value("java");
        json.name("pid").value(0);
        json.name("te").value(end);
        json.name("tg").value(end);
        FunctionIndex frames = new FunctionIndex();
        json.name("pps").beginArray();
        for (SiteRow row : SiteRow.of(snapshot, options)) {
            writeSite(json, row, frames, end);
        }
        json.endArray();
        writeFrames(json, frames);
        json.endObject();
        json.flush();
    }

    private static void writeSite(JsonWriter json, SiteRow row, FunctionIndex frames, long end)
            throws IOException {
        long bytes = Math.round(row.value(HeapMetric.ALLOCATED_BYTES));
        long objects = Math.round(row.value(HeapMetric.ALLOCATED_OBJECTS));
        // Two estimates of one thing can cross by chance, and DHAT does not expect it.
        long liveBytes = Math.min(Math.round(row.value(HeapMetric.LIVE_BYTES)), bytes);
        long liveObjects = Math.min(Math.round(row.value(HeapMetric.LIVE_OBJECTS)), objects);
        json.beginObject();
        json.name("tb").value(bytes).name("tbk").value(objects);
        json.name("tl").value(Math.round(Math.min(meanMicros(row.site()), (double) end) * objects));
        for (String at : List.of("m", "g", "e")) {
            json.name(at + "b").value(liveBytes).name(at + "bk").value(liveObjects);
        }
        json.name("fs").beginArray();
        for (int number : frames.stackOf(row)) {
            json.value(number + 1);
        }
        json.endArray();
        json.endObject();
    }

    /** How long an object lives, those alive counted with their age, as DHAT does at the end. */
    private static double meanMicros(@Nullable HeapSite site) {
        if (site == null) {
            return 0;
        }
        HeapHistogram died = site.lifetimes().byTime();
        HeapHistogram alive = site.ages().byTime();
        double objects = died.total() + alive.total();
        double millis = 0;
        for (int i = 0; i < died.buckets(); i++) {
            double middle = i == 0 ? 0.5 : 1.5 * died.lowerBound(i);
            millis += (died.objects(i) + alive.objects(i)) * middle;
        }
        return objects > 0 ? MICROS_PER_MILLI * millis / objects : 0;
    }

    /**
     * Entry 0 is the root of the viewer's tree. The others begin with an address, as those of DHAT
     * do; it is the number of the entry.
     */
    private static void writeFrames(JsonWriter json, FunctionIndex frames) throws IOException {
        json.name("ftbl").beginArray();
        json.value("[root]");
        for (int i = 0; i < frames.all().size(); i++) {
            FunctionIndex.Entry entry = frames.all().get(i);
            json.value("0x" + Integer.toHexString(i + 1) + ": " + entry.name() + place(entry));
        }
        json.endArray();
    }

    private static String place(FunctionIndex.Entry entry) {
        HeapFrame frame = entry.frame();
        if (frame == null) {
            return "";
        }
        String file = frame.fileName() == null ? "Unknown Source" : frame.fileName();
        return " (" + file + ":" + frame.lineNumber().orElse(0) + ":0)";
    }
}
