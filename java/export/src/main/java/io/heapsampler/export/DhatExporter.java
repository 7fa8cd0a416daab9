// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapHistogram;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The format of DHAT, version 2, which has lifetimes. When the heap was largest is not known, so
 * the time of the snapshot replaces it.
 */
final class DhatExporter implements ExportFormat.Exporter {

    /** Microseconds up to which DHAT's viewer calls a life short. */
    private static final int SHORT_LIVED = 10_000;

    private static final int MICROS_PER_MILLI = 1000;

    private final ExportOptions options;

    DhatExporter(ExportOptions options) {
        this.options = options;
    }

    @Override
    public void export(HeapSnapshot snapshot, OutputStream out) throws IOException {
        Json json = new Json(out);
        long end = ChronoUnit.MICROS.between(snapshot.startedAt(), snapshot.takenAt());
        json.begin('{');
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
        Map<Object, Integer> frames = new LinkedHashMap<>();
        // The root of the viewer's tree.
        frames.put("[root]", 0);
        json.objects(
                "pps",
                SiteRow.of(snapshot, options),
                row -> writeSite(json, row, frames, (double) end));
        json.texts("ftbl", frames.entrySet(), frame -> text(frame.getKey(), frame.getValue()));
        json.end('}');
        json.finish();
    }

    private static void writeSite(Json json, SiteRow row, Map<Object, Integer> frames, double end) {
        long bytes = Math.round(row.value(HeapMetric.ALLOCATED_BYTES));
        long objects = Math.round(row.value(HeapMetric.ALLOCATED_OBJECTS));
        // Two estimates of the same amount can cross by chance, which DHAT does not expect.
        long liveBytes = Math.min(Math.round(row.value(HeapMetric.LIVE_BYTES)), bytes);
        long liveObjects = Math.min(Math.round(row.value(HeapMetric.LIVE_OBJECTS)), objects);
        json.name("tb").value(bytes).name("tbk").value(objects);
        json.name("tl").value(Math.round(Math.min(meanMicros(row.site()), end) * objects));
        for (String at : List.of("m", "g", "e")) {
            json.name(at + "b").value(liveBytes).name(at + "bk").value(liveObjects);
        }
        json.longs("fs", row.frames().stream().mapToLong(frame -> Json.number(frames, frame)));
    }

    /** The mean life of an object. Live objects count with their age, as in DHAT at the end. */
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

    /** Frames begin with an address, as those of DHAT do: the number of the frame. */
    private static String text(Object frame, int number) {
        if (number == 0) {
            return frame.toString();
        }
        String text = "0x" + Integer.toHexString(number) + ": " + SiteRow.name(frame);
        if (!(frame instanceof HeapFrame method)) {
            return text;
        }
        String file = method.fileName() == null ? "Unknown Source" : method.fileName();
        return text + " (" + file + ":" + method.lineNumber().orElse(0) + ":0)";
    }
}
