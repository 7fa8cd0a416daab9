// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.shared.PrintableText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The legacy text of heap profiles, which people read, and pprof too: live objects and bytes,
 * allocated ones in brackets, and a made-up address for each frame.
 *
 * <p>Go writes what was sampled and lets pprof estimate. We have better estimates, so we write
 * those and say "heap/2", which is how "every byte was sampled" reads to pprof.
 */
final class PprofText {

    private final Writer out;
    private final Map<HeapFrame, Integer> addresses = new HashMap<>();

    private PprofText(Writer out) {
        this.out = out;
    }

    static void write(HeapSnapshot snapshot, HeapMetric metric, int maxSites, OutputStream stream)
            throws IOException {
        Writer out = new OutputStreamWriter(stream, StandardCharsets.UTF_8);
        new PprofText(out).write(snapshot, metric, maxSites);
        out.flush();
    }

    private void write(HeapSnapshot snapshot, HeapMetric metric, int maxSites) throws IOException {
        out.write("heap profile: " + figures(snapshot.totals()) + " @ heap/2\n");
        List<HeapSite> sites =
                snapshot.sites().stream()
                        .sorted(
                                Comparator.comparingDouble(
                                        (HeapSite site) -> -metric.of(site).value()))
                        .limit(maxSites)
                        .toList();
        for (HeapSite site : sites) {
            write(site);
        }
        out.write("# HeapSampler: these figures are estimates\n");
        SamplingStrategy strategy = snapshot.strategy();
        if (strategy.kind() != SamplingStrategy.Kind.ALLOCATIONS) {
            out.write("# Interval = " + snapshot.interval() + "\n");
        }
        if (strategy.kind() != SamplingStrategy.Kind.BYTES) {
            out.write("# Strategy = " + strategy + "\n");
        }
        out.write("# Collections = " + snapshot.collections() + "\n");
        out.write("# Sites = " + snapshot.sites().size() + "\n");
        for (Note note : snapshot.notes()) {
            out.write("# " + PrintableText.of(note.text()) + "\n");
        }
    }

    private static String figures(HeapFigures of) {
        HeapAmount live = of.live();
        HeapAmount allocated = of.allocated();
        return whole(live.objects().value())
                + ": "
                + whole(live.bytes().value())
                + " ["
                + whole(allocated.objects().value())
                + ": "
                + whole(allocated.bytes().value())
                + "]";
    }

    private static String whole(double figure) {
        return Long.toString(Math.round(figure));
    }

    private void write(HeapSite site) throws IOException {
        out.write(figures(site) + " @");
        for (HeapFrame frame : site.stack()) {
            out.write(" " + address(frame));
        }
        out.write("\n#\t" + PrintableText.of(site.className()) + "\n");
        for (HeapFrame frame : site.stack()) {
            String file = frame.fileName() == null ? "?" : frame.fileName();
            out.write(
                    "#\t"
                            + address(frame)
                            + "\t"
                            + PrintableText.of(frame.className() + "." + frame.methodName())
                            + "+0x0\t"
                            + PrintableText.of(file)
                            + ":"
                            + frame.lineNumber().orElse(0)
                            + "\n");
        }
        out.write("\n");
    }

    private String address(HeapFrame frame) {
        int number = addresses.computeIfAbsent(frame, key -> addresses.size());
        return "0x" + Integer.toHexString(0x1000 + 16 * number);
    }
}
