// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.export.cli.FailureException;
import io.heapsampler.export.cli.Main.Version;
import io.heapsampler.export.cli.Text;
import io.heapsampler.internal.shared.WholeFile;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heapsampler collapse}. */
@Command(
        name = "collapse",
        description =
                "Adds up equal stacks of stacks.txt or lifetime.txt, for flamegraph.pl and"
                        + " speedscope. A file that is there is replaced.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class CollapseCommand implements Callable<Integer> {

    /** What the agent writes if nothing else is said. */
    static final Path USUAL = Path.of("stacks.txt");

    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "IN",
            description = "The file to read; ${DEFAULT-VALUE} if not given.")
    private Path in = USUAL;

    @Parameters(index = "1", arity = "0..1", paramLabel = "FILTER", description = "As --group.")
    private @Nullable String filter;

    @Mixin private CollapseInput input = new CollapseInput();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description =
                    "The file to write, - for the standard output; ${DEFAULT-VALUE} if not given.")
    private Path output = Path.of("collapsed.txt");

    @Override
    public Integer call() throws FailureException {
        input.filterOr(filter);
        Collapse collapse = input.read(in);
        PrintWriter err = spec.commandLine().getErr();
        collapse.incomplete().forEach(line -> err.println(Text.printable(line)));
        try {
            if (output.toString().equals("-")) {
                write(collapse, System.out);
            } else {
                WholeFile.replace(output, out -> write(collapse, out));
            }
        } catch (IOException e) {
            throw new FailureException(
                    "Cannot write "
                            + output
                            + ": "
                            + e
                            + ". Is there such a folder, is there room, and may you write there?",
                    e);
        }
        collapse.summary().forEach(line -> err.println(Text.printable(line)));
        return 0;
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
