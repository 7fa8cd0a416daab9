// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

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
        description =
                "Writes a report on a snapshot, or on the changes between two, as one HTML file.")
final class ReportCommand extends CliCommand.OnSnapshot {

    @Option(
            names = {"-e", "--earlier"},
            paramLabel = "EARLIER",
            description = "An earlier snapshot of the same program, to compare with.")
    private @Nullable Path earlier;

    @Option(
            names = {"-t", "--title"},
            description = "The title; the name of the file by default.")
    private @Nullable String title;

    @Option(
            names = {"-m", "--metric"},
            description =
                    "The figure to show first: ${COMPLETION-CANDIDATES}; by default LIVE_BYTES with"
                            + " --earlier, else ALLOCATED_BYTES.")
    private @Nullable HeapMetric metric;

    @Option(names = "--no-thread-names", description = "Leave out the names of threads.")
    private boolean hasNoThreadNames;

    @Mixin private Output output = new Output();

    @Override
    void execute() throws FailureException {
        HeapSnapshot snapshot = Snapshots.read(file());
        String name = title == null ? String.valueOf(file().getFileName()) : title;
        ExportOptions.Builder options = options().title(name);
        if (earlier != null) {
            options.comparedWith(Snapshots.read(earlier));
        }
        SnapshotFormat report = ExportFormat.HTML.with(options.build());
        output.write(
                this,
                output.orBeside(file(), ExportFormat.HTML),
                ExportFormat.HTML.name(),
                out -> snapshot.writeTo(out, report));
    }

    private ExportOptions.Builder options() {
        HeapMetric usual = earlier == null ? HeapMetric.ALLOCATED_BYTES : HeapMetric.LIVE_BYTES;
        ExportOptions.Builder options =
                ExportOptions.builder().metric(metric == null ? usual : metric);
        return hasNoThreadNames ? options.threadNames(name -> "") : options;
    }
}
