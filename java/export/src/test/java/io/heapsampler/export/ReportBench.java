// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Measures a report of 10,000 sites, and one that compares as many: {@code tests/export/bench}. Not
 * a test.
 */
public final class ReportBench {

    private static final int ROUNDS = 9;

    private ReportBench() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createTempDirectory("report-bench");
        Path file = folder.resolve("report.html");
        HeapSnapshot snapshot = ReportHeaps.large(10_000);
        ExportOptions compared = ExportOptions.builder().comparedWith(snapshot).build();
        try (ReportBrowser browser = new ReportBrowser(folder)) {
            measure("report", ExportFormat.HTML, snapshot, browser, file);
            SnapshotFormat diff = ExportFormat.HTML.with(compared);
            measure("report_diff", diff, snapshot, browser, file);
        }
        Files.delete(file);
        Files.delete(folder);
    }

    private static void measure(
            String name,
            SnapshotFormat report,
            HeapSnapshot snapshot,
            ReportBrowser browser,
            Path file)
            throws IOException {
        double[] export = new double[ROUNDS];
        double[] open = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long began = System.nanoTime();
            try (OutputStream out = Files.newOutputStream(file)) {
                snapshot.writeTo(out, report);
            }
            export[i] = (System.nanoTime() - began) / 1e6;
            browser.open(file);
            open[i] = browser.drawnAfterMillis();
        }
        boolean isDiff = name.endsWith("diff");
        print(name + "_mib", Files.size(file) / 1048576.0, isDiff ? Double.NaN : 5);
        print(name + "_open_ms_median", median(open), isDiff ? Double.NaN : 1000);
        print(name + "_write_ms_median", median(export), Double.NaN);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void print(String name, double value, double target) {
        String judged =
                Double.isNaN(target)
                        ? ""
                        : String.format(
                                Locale.ROOT, " target=<=%.0f pass=%b", target, value <= target);
        System.out.printf(Locale.ROOT, "%s=%.1f%s%n", name, value, judged);
    }
}
