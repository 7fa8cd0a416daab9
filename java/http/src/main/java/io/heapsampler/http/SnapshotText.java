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
import io.heapsampler.export.internal.LabelChoice;
import io.heapsampler.export.internal.LabelPart;
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

/** Snapshots as text: the largest sites for people at a terminal, and pprof's legacy format. */
final class SnapshotText {

    private static final int SITES = 20;
    private static final int FRAMES = 8;

    private final HeapSnapshot snapshot;
    private final boolean hasInterval;
    private final boolean hasStrategy;
    private final Writer out;
    private final Map<HeapFrame, Integer> addresses = new HashMap<>();

    private SnapshotText(HeapSnapshot snapshot, OutputStream stream) {
        this.snapshot = snapshot;
        SamplingStrategy.Kind kind = snapshot.strategy().kind();
        this.hasInterval = kind != SamplingStrategy.Kind.ALLOCATIONS;
        this.hasStrategy = kind != SamplingStrategy.Kind.BYTES;
        this.out = new OutputStreamWriter(stream, StandardCharsets.UTF_8);
    }

    /** Writes the largest sites for people at a terminal. */
    static void top(HeapSnapshot snapshot, LabelChoice labels, OutputStream stream)
            throws IOException {
        SnapshotText text = new SnapshotText(snapshot, stream);
        text.top(labels);
        text.out.flush();
    }

    /**
     * Writes the legacy text of heap profiles, for people and for pprof: live objects and bytes,
     * allocated ones in brackets, and a made-up address for each frame.
     *
     * <p>Go writes the raw samples and lets pprof estimate. We have better estimates, so we write
     * those and "heap/2", which tells pprof that every byte was sampled.
     */
    static void pprof(HeapSnapshot snapshot, HeapMetric metric, int maxSites, OutputStream stream)
            throws IOException {
        SnapshotText text = new SnapshotText(snapshot, stream);
        text.pprof(metric, maxSites);
        text.out.flush();
    }

    private void top(LabelChoice labels) throws IOException {
        out.write(
                """
                taken at    %s
                sampled for %s s
                %s%scollections %s
                allocated   %s bytes
                live        %s bytes
                unconfirmed %s bytes
                """
                        .formatted(
                                snapshot.takenAt(),
                                snapshot.duration().toSeconds(),
                                hasInterval
                                        ? "interval    " + snapshot.interval() + " bytes\n"
                                        : "",
                                hasStrategy ? "strategy    " + snapshot.strategy() + "\n" : "",
                                snapshot.collections(),
                                snapshot.totals().allocated().bytes(),
                                snapshot.totals().live().bytes(),
                                snapshot.totals().unconfirmed().bytes()));
        top("Live", snapshot.topByLive(SITES), labels);
        top("Allocated", snapshot.topByAllocated(SITES), labels);
        for (var label : LabelLists.byKey(snapshot, labels).entrySet()) {
            top(label.getKey(), label.getValue());
        }
        if (!snapshot.notes().isEmpty()) {
            out.write("\n=== Notes ===\n");
        }
        for (Note note : snapshot.notes()) {
            out.write(PrintableText.of(note.text()) + "\n");
        }
    }

    private void top(String key, List<LabelPart> values) throws IOException {
        out.write("\n=== Label " + PrintableText.of(key) + ": the largest values ===\n");
        for (LabelPart each : values) {
            out.write("\n" + PrintableText.of(each.labels().valueOf(key)) + "\n");
            out.write("   live      " + each.live().bytes() + " bytes\n");
            out.write("   allocated " + each.allocated().bytes() + " bytes\n");
        }
    }

    private void top(String title, List<HeapSite> sites, LabelChoice labels) throws IOException {
        out.write("\n=== " + title + ": the " + sites.size() + " largest sites ===\n");
        int rank = 0;
        for (HeapSite site : sites) {
            rank++;
            out.write("\n" + rank + ". " + PrintableText.of(site.className()) + "\n");
            out.write("   live      " + site.live().bytes() + " bytes\n");
            out.write("   allocated " + site.allocated().bytes() + " bytes\n");
            for (LabelPart each : LabelLists.ofSite(site, labels)) {
                long live = Math.round(each.live().bytes().value());
                long allocated = Math.round(each.allocated().bytes().value());
                String set = PrintableText.of(each.labels().toString());
                out.write("   label     " + set + ": live " + live + " of " + allocated + "\n");
            }
            for (HeapFrame frame : site.stack().stream().limit(FRAMES).toList()) {
                out.write("       at " + PrintableText.of(frame.toString()) + "\n");
            }
            int more = site.stack().size() - FRAMES;
            if (more > 0) {
                out.write("       ... " + more + " more\n");
            }
        }
    }

    private void pprof(HeapMetric metric, int maxSites) throws IOException {
        out.write("heap profile: " + figures(snapshot.totals()) + " @ heap/2\n");
        Comparator<HeapSite> largestFirst =
                Comparator.comparingDouble(site -> -metric.of(site).value());
        for (HeapSite site :
                snapshot.sites().stream().sorted(largestFirst).limit(maxSites).toList()) {
            pprof(site);
        }
        out.write("# HeapSampler: these figures are estimates\n");
        if (hasInterval) {
            out.write("# Interval = " + snapshot.interval() + "\n");
        }
        if (hasStrategy) {
            out.write("# Strategy = " + snapshot.strategy() + "\n");
        }
        out.write("# Collections = " + snapshot.collections() + "\n");
        out.write("# Sites = " + snapshot.sites().size() + "\n");
        for (Note note : snapshot.notes()) {
            out.write("# " + PrintableText.of(note.text()) + "\n");
        }
    }

    private void pprof(HeapSite site) throws IOException {
        out.write(figures(site) + " @");
        for (HeapFrame frame : site.stack()) {
            out.write(" " + address(frame));
        }
        out.write("\n#\t" + PrintableText.of(site.className()) + "\n");
        for (HeapFrame frame : site.stack()) {
            String method = PrintableText.of(frame.className() + "." + frame.methodName());
            String file = frame.fileName() == null ? "?" : PrintableText.of(frame.fileName());
            String place = file + ":" + frame.lineNumber().orElse(0);
            out.write(String.join("\t", "#", address(frame), method + "+0x0", place) + "\n");
        }
        out.write("\n");
    }

    private static String figures(HeapFigures of) {
        return figures(of.live()) + " [" + figures(of.allocated()) + "]";
    }

    private static String figures(HeapAmount amount) {
        long objects = Math.round(amount.objects().value());
        return objects + ": " + Math.round(amount.bytes().value());
    }

    private String address(HeapFrame frame) {
        int number = addresses.computeIfAbsent(frame, key -> addresses.size());
        return "0x" + Integer.toHexString(0x1000 + 16 * number);
    }
}
