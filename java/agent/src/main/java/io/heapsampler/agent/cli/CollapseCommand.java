// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotFormat;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import io.heapsampler.internal.shared.PrintableText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that reads stacks as text, and the options that select and collapse them. */
abstract class CollapseCommand extends CliCommand {

    /** The file that the agent writes by default. */
    static final Path USUAL = Path.of("stacks.txt");

    @Option(
            names = {"-g", "--group"},
            paramLabel = "FILTER",
            description =
                    "A part of the name of a package, class or method; case does not matter."
                            + " Frames before the first match are dropped, and stacks without a"
                            + " match.")
    private @Nullable String filter;

    @Option(names = "--keep-others", description = "Keep stacks without a match, whole.")
    private boolean keepsOthers;

    @Option(
            names = "--no-squash",
            description = "Keep each frame of direct recursion; by default they become one frame.")
    private boolean isNotSquashing;

    @Option(
            names = "--state",
            description =
                    "The lines of a file of lifetimes that count: survived, died, live or"
                            + " unconfirmed; ${DEFAULT-VALUE} by default.")
    private String state = Collapse.SURVIVED;

    final @Nullable String filter() {
        return filter;
    }

    /** Reads a file. Invalid UTF-8 becomes question marks; incomplete lines are reported. */
    final Collapse read(Path file, @Nullable String filter) throws FailureException {
        Collapse collapse = new Collapse(filter, keepsOthers, !isNotSquashing, state);
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                Files.newInputStream(file), StandardCharsets.UTF_8))) {
            collapse.read(in);
        } catch (NoSuchFileException e) {
            throw new FailureException(
                    file + " does not exist. Name a file that the agent wrote.", e);
        } catch (IOException e) {
            throw new FailureException("Cannot read " + file + ": " + e + ".", e);
        }
        printErr(collapse.incomplete());
        return collapse;
    }

    final void printErr(List<String> lines) {
        lines.forEach(line -> err().println(PrintableText.of(line)));
    }

    /** {@code heapsampler collapse}. */
    @Command(
            name = "collapse",
            description =
                    "Adds up equal stacks of stacks.txt or lifetime.txt, for flamegraph.pl and"
                            + " speedscope. An existing file is replaced.")
    static final class ToText extends CollapseCommand {

        @Parameters(
                index = "0",
                arity = "0..1",
                paramLabel = "IN",
                description = "The file to read; ${DEFAULT-VALUE} by default.")
        private Path in = USUAL;

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "FILTER",
                description = "The same as --group.")
        private @Nullable String secondFilter;

        @Option(
                names = {"-o", "--output"},
                paramLabel = "OUT",
                description =
                        "The file to write; ${DEFAULT-VALUE} by default, - is standard output.")
        private Path output = Path.of("collapsed.txt");

        @Override
        void execute() throws FailureException {
            Collapse collapse = read(in, filter() == null ? secondFilter : filter());
            Output.writeContent(this, output, collapse::write);
            printErr(collapse.summary());
            if (isJson()) {
                String file = output.toString();
                print(collapse.json(Printing.json("collapse:1").name("file").value(file)));
            }
        }
    }

    /** {@code heapsampler flamegraph}. */
    @Command(
            name = "flamegraph",
            description = "Draws stacks or a snapshot as a flame graph in one HTML file.")
    static final class Flamegraph extends CollapseCommand {

        @Parameters(
                paramLabel = "IN",
                arity = "0..1",
                description =
                        "stacks.txt, lifetime.txt, collapsed stacks of any profiler, or a snapshot;"
                                + " ${DEFAULT-VALUE} by default.")
        private Path in = USUAL;

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
            if (ExportFormat.ofFileName(in.toString()).orElse(null) == ExportFormat.HSNAP) {
                if (filter() != null) {
                    throw wrongUsage(
                            "--group is for text. Filter the packages of a snapshot in the report"
                                    + " itself.");
                }
                write(
                        readSnapshot(in),
                        isCollapsed ? ExportFormat.COLLAPSED : ExportFormat.HTML,
                        "");
                return;
            }
            Collapse collapse = read(in, filter());
            if (isCollapsed) {
                output.writeBeside(this, in, ExportFormat.COLLAPSED, collapse::write);
                return;
            }
            String remark = " (figures as in the file, without errors)";
            write(collapse.toSnapshot(), ExportFormat.HTML, remark);
            printErr(collapse.summary());
        }

        private void write(HeapSnapshot snapshot, ExportFormat format, String remark)
                throws FailureException {
            String name = title == null ? String.valueOf(in.getFileName()) : title;
            SnapshotFormat titled =
                    format.with(ExportOptions.builder().title(name + remark).build());
            output.writeBeside(this, in, format, out -> snapshot.writeTo(out, titled));
        }
    }
}
