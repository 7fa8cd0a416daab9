// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that writes a snapshot in another format. */
abstract class ExportCommand extends CliCommand.OnSnapshot {

    @Option(
            names = {"-m", "--metric"},
            description =
                    "The figure to show first, or alone: ${COMPLETION-CANDIDATES}; by default"
                            + " ALLOCATED_BYTES, in a report with --earlier LIVE_BYTES.")
    private @Nullable HeapMetric metric;

    @Option(names = "--no-thread-names", description = "Leave out the names of threads.")
    private boolean hasNoThreadNames;

    @Option(
            names = "--label",
            paramLabel = "KEY",
            description =
                    "Write only this label of all samples, such as endpoint; in a profile the class"
                            + " is the leaf of each stack then.")
    private @Nullable String label;

    @Option(names = "--no-labels", description = "Leave out the labels of samples.")
    private boolean hasNoLabels;

    @Mixin final Only only = new Only();

    @Mixin final Output output = new Output();

    final boolean hasNoThreadNames() {
        return hasNoThreadNames;
    }

    final boolean choosesLabels() {
        return hasNoLabels || label != null;
    }

    final ExportOptions.Builder options(HeapMetric usual) {
        ExportOptions.Builder options =
                ExportOptions.builder().metric(metric == null ? usual : metric);
        options.labels(!hasNoLabels);
        try {
            options = label == null ? options : options.label(label);
        } catch (IllegalArgumentException e) {
            throw wrongUsage(String.valueOf(e.getMessage()));
        }
        return hasNoThreadNames ? options.threadNames(name -> "") : options;
    }

    /** Reads the snapshot and writes the file. */
    final void write(ExportFormat format, ExportOptions options) throws FailureException {
        HeapSnapshot snapshot = only.of(readSnapshot(file()));
        output.writeBeside(
                this, file(), format, out -> snapshot.writeTo(out, format.with(options)));
    }

    /** {@code heapsampler convert}. */
    @Command(name = "convert", description = "Writes a snapshot in another format.")
    static final class Convert extends ExportCommand {

        @Option(
                names = {"-f", "--format"},
                description =
                        "One of ${COMPLETION-CANDIDATES}; by default the ending of OUTPUT decides.")
        private @Nullable ExportFormat format;

        @Option(
                names = "--max-sites",
                paramLabel = "COUNT",
                description =
                        "The number of sites; the others are summed up. ${DEFAULT-VALUE} by"
                                + " default.")
        private int maxSites = 32_768;

        @Option(names = "--samples", description = "With -f json: also write each sample.")
        private boolean hasSamples;

        @Override
        void execute() throws FailureException {
            ExportFormat wanted = format();
            if (hasNoThreadNames() && wanted == ExportFormat.HSNAP) {
                throw wrongUsage(
                        "A snapshot file always contains the names of threads. Choose another"
                                + " format, or leave out --no-thread-names.");
            }
            if (choosesLabels() && wanted == ExportFormat.HSNAP) {
                throw wrongUsage(
                        "A snapshot file always contains all labels. Choose another format, or"
                                + " leave out --label and --no-labels.");
            }
            if (maxSites < 1) {
                throw wrongUsage("--max-sites must be 1 or more: " + maxSites);
            }
            ExportOptions.Builder options = options(HeapMetric.ALLOCATED_BYTES);
            write(wanted, options.samples(hasSamples).maxSites(maxSites).build());
        }

        private ExportFormat format() {
            return format != null ? format : output.format().orElseThrow(this::noFormat);
        }

        private RuntimeException noFormat() {
            return wrongUsage(
                    """
                    Name the format, such as -f pprof, or end the name of the output with one of \
                    %s.\
                    """
                            .formatted(
                                    Arrays.stream(ExportFormat.values())
                                            .map(ExportFormat::suffix)
                                            .collect(Collectors.joining(", "))));
        }
    }

    /** {@code heapsampler report}. */
    @Command(
            name = "report",
            description =
                    "Writes a report on a snapshot, or on the changes between two, as one HTML"
                            + " file.")
    static final class Report extends ExportCommand {

        @Option(
                names = {"-e", "--earlier"},
                paramLabel = "EARLIER",
                description = "An earlier snapshot of the same program, to compare with.")
        private @Nullable Path earlier;

        @Option(
                names = {"-t", "--title"},
                description = "The title; the name of the file by default.")
        private @Nullable String title;

        @Override
        void execute() throws FailureException {
            ExportOptions.Builder options =
                    options(earlier == null ? HeapMetric.ALLOCATED_BYTES : HeapMetric.LIVE_BYTES);
            options.title(title == null ? String.valueOf(file().getFileName()) : title);
            if (earlier != null) {
                options.comparedWith(only.of(readSnapshot(earlier)));
            }
            write(ExportFormat.HTML, options.build());
        }
    }
}
