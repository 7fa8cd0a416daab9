// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.export.cli.FailureException;
import io.heapsampler.export.cli.Main.Version;
import io.heapsampler.export.cli.Output;
import io.heapsampler.export.cli.Snapshots;
import io.heapsampler.export.cli.Text;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heapsampler flamegraph}. */
@Command(
        name = "flamegraph",
        description = "Draws stacks, or a snapshot, as a flame graph in one HTML file.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class FlamegraphCommand implements Callable<Integer> {

    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "IN",
            arity = "0..1",
            description =
                    "stacks.txt, lifetime.txt, collapsed stacks of any profiler, or a snapshot;"
                            + " ${DEFAULT-VALUE} if not given.")
    private Path in = Path.of("stacks.txt");

    @Mixin private CollapseInput input = new CollapseInput();

    @Option(
            names = {"-t", "--title"},
            description = "The title; the name of the file if not given.")
    private @Nullable String title;

    @Option(
            names = "--collapsed",
            description = "Write collapsed stacks instead, for flamegraph.pl and speedscope.")
    private boolean isCollapsed;

    @Mixin private Output output = new Output();

    @Override
    public Integer call() throws FailureException {
        if (isSnapshot()) {
            drawSnapshot();
        } else {
            drawText();
        }
        return 0;
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
            throw new ParameterException(
                    spec.commandLine(),
                    "--group is for text. Filter the packages of a snapshot in the report itself.");
        }
        HeapSnapshot snapshot = Snapshots.read(in);
        if (isCollapsed) {
            output.write(
                    spec.commandLine(),
                    output.orBeside(in, ExportFormat.COLLAPSED),
                    out -> snapshot.writeTo(out, ExportFormat.COLLAPSED));
        } else {
            SnapshotFormat report = report(title());
            output.write(
                    spec.commandLine(),
                    output.orBeside(in, ExportFormat.HTML),
                    out -> snapshot.writeTo(out, report));
        }
    }

    private void drawText() throws FailureException {
        Collapse collapse = input.read(in);
        collapse.incomplete()
                .forEach(line -> spec.commandLine().getErr().println(Text.printable(line)));
        if (isCollapsed) {
            output.write(
                    spec.commandLine(),
                    output.orBeside(in, ExportFormat.COLLAPSED),
                    out -> CollapseCommand.write(collapse, out));
            return;
        }
        HeapSnapshot snapshot = TextSnapshot.of(collapse.stacks());
        SnapshotFormat report = report(title() + " (figures as in the file, without errors)");
        output.write(
                spec.commandLine(),
                output.orBeside(in, ExportFormat.HTML),
                out -> snapshot.writeTo(out, report));
        PrintWriter err = spec.commandLine().getErr();
        collapse.summary().forEach(line -> err.println(Text.printable(line)));
    }
}
