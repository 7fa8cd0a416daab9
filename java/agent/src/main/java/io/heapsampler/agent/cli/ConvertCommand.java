// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code heapsampler convert}. */
@Command(name = "convert", description = "Writes a snapshot in another format.")
final class ConvertCommand extends CliCommand.OnSnapshot {

    @Option(
            names = {"-f", "--format"},
            description =
                    "One of ${COMPLETION-CANDIDATES}; by default the ending of OUTPUT decides.")
    private @Nullable ExportFormat format;

    @Mixin private Output output = new Output();

    @Option(
            names = {"-m", "--metric"},
            description =
                    "The figure to show first, or alone: ${COMPLETION-CANDIDATES};"
                            + " ${DEFAULT-VALUE} by default.")
    private HeapMetric metric = HeapMetric.ALLOCATED_BYTES;

    @Option(
            names = "--max-sites",
            paramLabel = "COUNT",
            description =
                    "The number of sites; the others are summed up. ${DEFAULT-VALUE} by default.")
    private int maxSites = 32_768;

    @Option(names = "--samples", description = "With -f json: also write each sample.")
    private boolean hasSamples;

    @Option(names = "--no-thread-names", description = "Leave out the names of threads.")
    private boolean hasNoThreadNames;

    @Override
    void execute() throws FailureException {
        ExportFormat wanted = format();
        if (hasNoThreadNames && wanted == ExportFormat.HSNAP) {
            throw wrongUsage(
                    "A snapshot file always contains the names of threads. Choose another format,"
                            + " or leave out --no-thread-names.");
        }
        ExportOptions options = options();
        HeapSnapshot snapshot = CliCommand.readSnapshot(file());
        output.writeBeside(
                this, file(), wanted, out -> snapshot.writeTo(out, wanted.with(options)));
    }

    private ExportFormat format() {
        if (format != null) {
            return format;
        }
        return output.format()
                .orElseThrow(
                        () ->
                                wrongUsage(
                                        """
                                        Name the format, such as -f pprof, or end the name of \
                                        the output with one of %s.\
                                        """
                                                .formatted(suffixes())));
    }

    private static String suffixes() {
        return Arrays.stream(ExportFormat.values())
                .map(ExportFormat::suffix)
                .collect(Collectors.joining(", "));
    }

    private ExportOptions options() {
        try {
            ExportOptions.Builder options =
                    ExportOptions.builder().metric(metric).samples(hasSamples).maxSites(maxSites);
            return (hasNoThreadNames ? options.threadNames(name -> "") : options).build();
        } catch (IllegalArgumentException e) {
            throw wrongUsage("--max-sites must be 1 or more: " + maxSites);
        }
    }
}
