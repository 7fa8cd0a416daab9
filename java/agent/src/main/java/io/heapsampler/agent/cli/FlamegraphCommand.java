// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.agent.cli.CollapseCommand.CollapseInput;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.internal.shared.PrintableText;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code heapsampler flamegraph}. */
@Command(
        name = "flamegraph",
        description = "Draws stacks or a snapshot as a flame graph in one HTML file.")
final class FlamegraphCommand extends CliCommand {

    @Parameters(
            paramLabel = "IN",
            arity = "0..1",
            description =
                    "stacks.txt, lifetime.txt, collapsed stacks of any profiler, or a snapshot;"
                            + " ${DEFAULT-VALUE} by default.")
    private Path in = Path.of("stacks.txt");

    @Mixin private CollapseInput input = new CollapseInput();

    @Option(
            names = {"-t", "--title"},
            description = "The title; the name of the file by default.")
    private @Nullable String title;

    @Option(
            names = "--collapsed",
            description = "Write collapsed stacks instead, for flamegraph.pl and speedscope.")
    private boolean isCollapsed;

    @Mixin private Output output = new Output();

    @Override
    void execute() throws FailureException {
        if (isSnapshot()) {
            drawSnapshot();
        } else {
            drawText();
        }
    }

    private boolean isSnapshot() {
        return ExportFormat.ofFileName(in.toString())
                .filter(ExportFormat.HSNAP::equals)
                .isPresent();
    }

    private String title() {
        return title == null ? String.valueOf(in.getFileName()) : title;
    }

    private static SnapshotFormat report(String title) {
        return ExportFormat.HTML.with(ExportOptions.builder().title(title).build());
    }

    private void drawSnapshot() throws FailureException {
        if (input.hasFilter()) {
            throw wrongUsage(
                    "--group is for text. Filter the packages of a snapshot in the report itself.");
        }
        HeapSnapshot snapshot = CliCommand.readSnapshot(in);
        if (isCollapsed) {
            output.writeBeside(
                    this,
                    in,
                    ExportFormat.COLLAPSED,
                    out -> snapshot.writeTo(out, ExportFormat.COLLAPSED));
        } else {
            SnapshotFormat report = report(title());
            output.writeBeside(this, in, ExportFormat.HTML, out -> snapshot.writeTo(out, report));
        }
    }

    private void drawText() throws FailureException {
        Collapse collapse = input.read(in);
        collapse.incomplete().forEach(line -> err().println(PrintableText.of(line)));
        if (isCollapsed) {
            output.writeBeside(
                    this, in, ExportFormat.COLLAPSED, out -> CollapseCommand.write(collapse, out));
            return;
        }
        HeapSnapshot snapshot = TextSnapshot.of(collapse.stacks());
        SnapshotFormat report = report(title() + " (figures as in the file, without errors)");
        output.writeBeside(this, in, ExportFormat.HTML, out -> snapshot.writeTo(out, report));
        collapse.summary().forEach(line -> err().println(PrintableText.of(line)));
    }
}
