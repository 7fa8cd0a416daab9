// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.internal.shared.PrintableText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code heapsampler collapse}. */
@Command(
        name = "collapse",
        description =
                "Adds up equal stacks of stacks.txt or lifetime.txt, for flamegraph.pl and"
                        + " speedscope. An existing file is replaced.")
final class CollapseCommand extends CliCommand {

    /** The file that the agent writes by default. */
    static final Path USUAL = Path.of("stacks.txt");

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
    private @Nullable String filter;

    @Mixin private CollapseInput input = new CollapseInput();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description = "The file to write; ${DEFAULT-VALUE} by default, - is standard output.")
    private Path output = Path.of("collapsed.txt");

    @Override
    void execute() throws FailureException {
        input.filterOr(filter);
        Collapse collapse = input.read(in);
        collapse.incomplete().forEach(line -> err().println(PrintableText.of(line)));
        Output.writeContent(this, output, out -> write(collapse, out));
        collapse.summary().forEach(line -> err().println(PrintableText.of(line)));
        if (isJson()) {
            print(collapse.json(CliJson.begin("collapse:1").name("file").value(output.toString())));
        }
    }

    static void write(Collapse collapse, OutputStream out) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Long> entry : collapse.stacks().entrySet()) {
            text.append(entry.getKey()).append(' ').append(entry.getValue()).append('\n');
        }
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** The options that select and collapse stacks. */
    static final class CollapseInput {

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
                description =
                        "Keep each frame of direct recursion; by default they become one frame.")
        private boolean isNotSquashing;

        @Option(
                names = "--state",
                description =
                        "The lines of a file of lifetimes that count: survived, died, live or"
                                + " unconfirmed; ${DEFAULT-VALUE} by default.")
        private String state = Collapse.SURVIVED;

        boolean hasFilter() {
            return filter != null;
        }

        /** Takes the filter from where the flame sampler had it, if none was given as an option. */
        void filterOr(@Nullable String other) {
            filter = filter == null ? other : filter;
        }

        /** Reads a file; bytes that are no UTF-8 become question marks. */
        Collapse read(Path file) throws FailureException {
            Collapse collapse = new Collapse(filter, keepsOthers, !isNotSquashing, state);
            try (BufferedReader in =
                    new BufferedReader(
                            new InputStreamReader(
                                    Files.newInputStream(file), StandardCharsets.UTF_8))) {
                collapse.read(in);
                return collapse;
            } catch (NoSuchFileException e) {
                throw new FailureException(
                        file + " does not exist. Name a file that the agent wrote.", e);
            } catch (IOException e) {
                throw new FailureException("Cannot read " + file + ": " + e + ".", e);
            }
        }
    }
}
