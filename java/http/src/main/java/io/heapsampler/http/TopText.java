// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.internal.shared.PrintableText;
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
        SamplingStrategy strategy = snapshot.strategy();
        boolean hasInterval = strategy.kind() != SamplingStrategy.Kind.ALLOCATIONS;
        boolean hasOther = strategy.kind() != SamplingStrategy.Kind.BYTES;
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
                                hasOther ? "strategy    " + strategy + "\n" : "",
                                snapshot.collections(),
                                snapshot.totals().allocated().bytes(),
                                snapshot.totals().live().bytes(),
                                snapshot.totals().unconfirmed().bytes()));
        write("Live", snapshot.topByLive(SITES));
        write("Allocated", snapshot.topByAllocated(SITES));
        if (!snapshot.notes().isEmpty()) {
            out.write("\n=== Notes ===\n");
        }
        for (Note note : snapshot.notes()) {
            out.write(PrintableText.of(note.text()) + "\n");
        }
    }

    private void write(String title, List<HeapSite> sites) throws IOException {
        out.write("\n=== " + title + ": the " + sites.size() + " largest sites ===\n");
        int rank = 0;
        for (HeapSite site : sites) {
            rank++;
            out.write("\n" + rank + ". " + PrintableText.of(site.className()) + "\n");
            out.write("   live      " + site.live().bytes() + " bytes\n");
            out.write("   allocated " + site.allocated().bytes() + " bytes\n");
            for (HeapFrame frame : site.stack().stream().limit(FRAMES).toList()) {
                out.write("       at " + PrintableText.of(frame.toString()) + "\n");
            }
            int more = site.stack().size() - FRAMES;
            if (more > 0) {
                out.write("       ... " + more + " more\n");
            }
        }
    }
}
