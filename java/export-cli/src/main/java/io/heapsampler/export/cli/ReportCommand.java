// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code heapsampler report}. */
@Command(
        name = "report",
        description = "Writes a report for a browser: on a snapshot, or on what has changed.")
final class ReportCommand extends SnapshotCommand {

    @Option(
            names = {"-e", "--earlier"},
            paramLabel = "EARLIER",
            description = "Another of the same program, to compare with.")
    private @Nullable Path earlier;

    @Option(
            names = {"-t", "--title"},
            description = "The title; the name of the file if not given.")
    private @Nullable String title;

    @Option(
            names = {"-m", "--metric"},
            description =
                    "What is shown first: ${COMPLETION-CANDIDATES}; if not given, LIVE_BYTES when"
                            + " two are compared, else ALLOCATED_BYTES.")
    private @Nullable HeapMetric metric;

    @Mixin private ThreadNames threadNames = new ThreadNames();

    @Mixin private Output output = new Output();

    @Override
    public Integer call() throws FailureException {
        HeapSnapshot read = Snapshots.read(snapshot);
        String name = title == null ? String.valueOf(snapshot.getFileName()) : title;
        ExportOptions.Builder options = options().title(name);
        if (earlier != null) {
            options.comparedWith(Snapshots.read(earlier));
        }
        SnapshotFormat report = ExportFormat.HTML.with(options.build());
        output.write(
                spec.commandLine(),
                output.orBeside(snapshot, ExportFormat.HTML),
                out -> read.writeTo(out, report));
        return 0;
    }

    private ExportOptions.Builder options() {
        HeapMetric usual = earlier == null ? HeapMetric.ALLOCATED_BYTES : HeapMetric.LIVE_BYTES;
        return threadNames.options().metric(metric == null ? usual : metric);
    }
}
