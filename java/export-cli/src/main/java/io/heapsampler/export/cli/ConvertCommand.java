// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.HeapMetric;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code heapsampler convert}. */
@Command(name = "convert", description = "Writes a snapshot in another format.")
final class ConvertCommand extends SnapshotCommand {

    @Option(
            names = {"-f", "--format"},
            description = "One of ${COMPLETION-CANDIDATES}; else the end of OUTPUT tells.")
    private @Nullable ExportFormat format;

    @Mixin private Output output = new Output();

    @Option(
            names = {"-m", "--metric"},
            description =
                    "What is shown first, or alone: ${COMPLETION-CANDIDATES};"
                            + " ${DEFAULT-VALUE} if not given.")
    private HeapMetric metric = HeapMetric.ALLOCATED_BYTES;

    @Option(
            names = "--max-sites",
            paramLabel = "COUNT",
            description = "Sum up all but so many sites; ${DEFAULT-VALUE} if not given.")
    private int maxSites = ExportOptions.defaults().maxSites();

    @Option(names = "--samples", description = "In JSON: the single samples, too.")
    private boolean hasSamples;

    @Mixin private ThreadNames threadNames = new ThreadNames();

    @Override
    public Integer call() throws FailureException {
        ExportFormat wanted = format();
        ExportOptions options = options();
        HeapSnapshot read = Snapshots.read(snapshot);
        output.write(
                spec.commandLine(),
                output.orBeside(snapshot, wanted),
                out -> read.writeTo(out, wanted.with(options)));
        return 0;
    }

    private ExportFormat format() {
        if (format != null) {
            return format;
        }
        return output.format()
                .orElseThrow(
                        () ->
                                new ParameterException(
                                        spec.commandLine(),
                                        "Say the format, such as -f pprof, or end the name of the"
                                                + " output with one of "
                                                + suffixes()
                                                + "."));
    }

    private static String suffixes() {
        return Arrays.stream(ExportFormat.values())
                .map(ExportFormat::suffix)
                .collect(Collectors.joining(", "));
    }

    private ExportOptions options() {
        try {
            return threadNames
                    .options()
                    .metric(metric)
                    .samples(hasSamples)
                    .maxSites(maxSites)
                    .build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    String.format(Locale.ROOT, "--max-sites must be 1 or more: %d", maxSites),
                    e);
        }
    }
}
