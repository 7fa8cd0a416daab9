// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.export.cli.Main.Version;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code heapsampler}: {@code java -jar heapsampler-agent.jar}. */
@Command(
        name = "heapsampler",
        description = "Samples the heap of a running JVM, and reads what was sampled.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            AttachCommand.class,
            DetachCommand.class,
            RecordCommand.class,
            WatchCommand.class,
            DoctorCommand.class,
            CollapseCommand.class,
            FlamegraphCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:a file or a JVM cannot be reached; the message says what to do",
            "2:wrong arguments"
        })
public final class Main implements Runnable {

    /** The commands that the other module adds. */
    private static final Set<String> OVER_SNAPSHOTS = Set.of("convert", "top", "diff", "report");

    @Spec private CommandSpec spec = CommandSpec.create();

    private Main() {}

    /**
     * Runs the command and ends the JVM with its exit code.
     *
     * @param arguments as {@code --help} describes them
     */
    public static void main(String[] arguments) {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(run(out, err, arguments));
    }

    /** Runs the command and returns its exit code. */
    static int run(PrintWriter out, PrintWriter err, String... arguments) {
        CommandLine line = new CommandLine(new Main());
        List<String> words = new ArrayList<>(Arrays.asList(arguments));
        if (isCollapseOfOld(line, words)) {
            words.add(0, "collapse");
        }
        return io.heapsampler.export.cli.Main.run(line, out, err, words.toArray(String[]::new));
    }

    /**
     * The flame sampler's jar took a file and a filter, and no command; else it took stacks.txt.
     */
    private static boolean isCollapseOfOld(CommandLine line, List<String> words) {
        if (words.isEmpty()) {
            return Files.isRegularFile(CollapseCommand.USUAL);
        }
        String first = words.get(0);
        boolean isCommand =
                line.getSubcommands().containsKey(first) || OVER_SNAPSHOTS.contains(first);
        if (isCommand || words.size() > 2 || words.stream().anyMatch(w -> w.startsWith("-"))) {
            return false;
        }
        try {
            return Files.isRegularFile(Path.of(first));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Say what to do, such as watch or collapse. Try --help.");
    }
}
