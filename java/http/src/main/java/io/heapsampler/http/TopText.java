// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import io.heapsampler.SamplingStrategy;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The largest sites for people at a terminal. */
final class TopText {

    private static final int SITES = 20;
    private static final int FRAMES = 8;

    private final Writer out;

    private TopText(Writer out) {
        this.out = out;
    }

    static void write(HeapSnapshot snapshot, OutputStream stream) throws IOException {
        Writer out = new OutputStreamWriter(stream, StandardCharsets.UTF_8);
        new TopText(out).write(snapshot);
        out.flush();
    }

    private void write(HeapSnapshot snapshot) throws IOException {
        out.write("taken at    " + snapshot.takenAt() + "\n");
        out.write("sampled for " + snapshot.duration().toSeconds() + " s\n");
        SamplingStrategy strategy = snapshot.strategy();
        if (strategy.kind() != SamplingStrategy.Kind.ALLOCATIONS) {
            out.write("interval    " + snapshot.interval() + " bytes\n");
        }
        if (strategy.kind() != SamplingStrategy.Kind.BYTES) {
            out.write("strategy    " + strategy + "\n");
        }
        out.write("collections " + snapshot.collections() + "\n");
        out.write("allocated   " + snapshot.totals().allocated().bytes() + " bytes\n");
        out.write("live        " + snapshot.totals().live().bytes() + " bytes\n");
        out.write("unconfirmed " + snapshot.totals().unconfirmed().bytes() + " bytes\n");
        write("Live", snapshot.topByLive(SITES));
        write("Allocated", snapshot.topByAllocated(SITES));
        if (!snapshot.notes().isEmpty()) {
            out.write("\n=== Notes ===\n");
        }
        for (Note note : snapshot.notes()) {
            out.write(PprofText.oneLine(note.text()) + "\n");
        }
    }

    private void write(String title, List<HeapSite> sites) throws IOException {
        out.write("\n=== " + title + ": the " + sites.size() + " largest sites ===\n");
        int rank = 0;
        for (HeapSite site : sites) {
            rank++;
            out.write("\n" + rank + ". " + PprofText.oneLine(site.className()) + "\n");
            out.write("   live      " + site.live().bytes() + " bytes\n");
            out.write("   allocated " + site.allocated().bytes() + " bytes\n");
            for (HeapFrame frame : site.stack().stream().limit(FRAMES).toList()) {
                out.write("       at " + PprofText.oneLine(frame.toString()) + "\n");
            }
            int more = site.stack().size() - FRAMES;
            if (more > 0) {
                out.write("       ... " + more + " more\n");
            }
        }
    }
}
