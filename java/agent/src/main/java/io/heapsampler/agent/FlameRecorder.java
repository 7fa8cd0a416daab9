// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.WholeFile;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Keeps {@code stacks.txt} up to date: a line for each site, with all that was allocated there
 * since the start, or with the live part of it. The file is replaced as a whole, so a reader, or a
 * crash, never sees half of one.
 */
final class FlameRecorder implements Recorder {

    private final Path file;
    private final StackLines lines;
    private final SiteFilter filter;
    private final boolean isLive;
    private boolean isCleared;

    FlameRecorder(AgentOptions options) {
        this.file = options.outputFile;
        this.lines = new StackLines(options.style);
        this.filter = options.filter;
        this.isLive = options.isLive;
    }

    /** What a killed application leaves is a second old, unless there is a lot to write. */
    @Override
    public int share() {
        return 10;
    }

    @Override
    public void write(HeapSnapshot snapshot, boolean isLast) throws IOException {
        if (!isCleared) {
            Leftovers.delete(file);
            isCleared = true;
        }
        WholeFile.replace(file, out -> write(snapshot, out));
    }

    void write(HeapSnapshot snapshot, OutputStream out) throws IOException {
        // Sites that differ only in parts that are not written are one line; the order is always
        // the same.
        Map<String, Long> figures = new TreeMap<>();
        for (HeapSite site : snapshot.sites()) {
            long figure = lines.figure(isLive ? site.live() : site.allocated());
            if (figure > 0 && filter.accepts(site)) {
                figures.merge(lines.key(site), figure, Long::sum);
            }
        }
        Writer text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
        for (Map.Entry<String, Long> entry : figures.entrySet()) {
            text.append(entry.getKey()).append(' ');
            text.append(Long.toString(entry.getValue())).append('\n');
        }
        text.flush();
    }
}
