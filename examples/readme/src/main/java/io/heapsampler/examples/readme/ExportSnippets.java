// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.readme;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The README's pieces about files. */
public final class ExportSnippets {

    private ExportSnippets() {}

    private static HeapSnapshot snapshot() {
        HeapSampler.start();
        Work.handleRequest();
        HeapSnapshot snapshot = HeapSampler.snapshot(SnapshotOptions.afterGc());
        HeapSampler.stop();
        return snapshot;
    }

    public static void save() throws IOException {
        HeapSnapshot snapshot = snapshot();
        Path folder = Files.createTempDirectory("readme");
        // readme: save
        snapshot.writeTo(folder.resolve("heap.hsnap"));
        HeapSnapshot saved = HeapSnapshot.read(folder.resolve("heap.hsnap"));
        // end
        if (!saved.toString().equals(snapshot.toString())) {
            throw new IllegalStateException(saved + " is not " + snapshot);
        }
        Files.delete(folder.resolve("heap.hsnap"));
        Files.delete(folder);
    }

    public static void export() throws IOException {
        HeapSnapshot snapshot = snapshot();
        Path folder = Files.createTempDirectory("readme");
        // readme: export
        snapshot.writeTo(folder.resolve("heap.pb.gz"), ExportFormat.PPROF);
        // end
        Files.delete(folder.resolve("heap.pb.gz"));
        Files.delete(folder);
    }

    public static void report() throws IOException {
        HeapSnapshot snapshot = snapshot();
        Path folder = Files.createTempDirectory("readme");
        // readme: report
        snapshot.writeTo(folder.resolve("heap.html"), ExportFormat.HTML);
        // end
        Files.delete(folder.resolve("heap.html"));
        Files.delete(folder);
    }

    public static void reportOfTwo() throws IOException {
        HeapSnapshot before = snapshot();
        HeapSnapshot after = snapshot();
        Path folder = Files.createTempDirectory("readme");
        // readme: reportOfTwo
        ExportOptions options =
                ExportOptions.builder()
                        .metric(HeapMetric.LIVE_BYTES)
                        .title("Shop, load test")
                        .comparedWith(before)
                        .build();
        after.writeTo(folder.resolve("leak.html"), ExportFormat.HTML.with(options));
        // end
        Files.delete(folder.resolve("leak.html"));
        Files.delete(folder);
    }

    public static void choose() throws IOException {
        HeapSnapshot snapshot = snapshot();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        // readme: exportOptions
        ExportOptions options =
                ExportOptions.builder()
                        .metric(HeapMetric.LIVE_BYTES) // shown first, or alone
                        .maxSites(1_000) // the others are summed up
                        .threadNames(name -> "")
                        .labels((key, value) -> key.equals("tenant") ? null : value)
                        .build();
        snapshot.writeTo(out, ExportFormat.JSON.with(options));
        // end
        if (out.size() == 0) {
            throw new IllegalStateException("nothing was written");
        }
    }

    public static void holders() throws IOException {
        snapshot();
        HeldBy held = HeapSampler.heldBy(HeldByOptions.topByLive(3));
        Path folder = Files.createTempDirectory("readme");
        // readme: holdersAsPprof
        ExportOptions options = ExportOptions.builder().holders(true).build();
        held.snapshot().writeTo(folder.resolve("held.pb.gz"), ExportFormat.PPROF.with(options));
        // end
        Files.delete(folder.resolve("held.pb.gz"));
        Files.delete(folder);
    }
}
