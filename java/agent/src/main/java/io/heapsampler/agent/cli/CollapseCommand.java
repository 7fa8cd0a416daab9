// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.internal.shared.PrintableText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
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
}
