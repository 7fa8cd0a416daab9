// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.agent.cli.CliCommand.FailureException;
import io.heapsampler.internal.shared.PrintableText;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code heapsampler}: {@code java -jar heapsampler.jar}. */
@Command(
        name = "heapsampler",
        description = "Samples the heap of a running JVM and reads saved snapshots.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        subcommands = {
            AttachCommand.class,
            AttachCommand.Detach.class,
            RecordCommand.class,
            WatchCommand.class,
            DoctorCommand.class,
            HeldByCommand.class,
            TopCommand.class,
            DiffCommand.class,
            ExportCommand.Convert.class,
            ExportCommand.Report.class,
            CollapseCommand.ToText.class,
            CollapseCommand.Flamegraph.class
        },
        footer = {"", "Each command has --help, and --json for programs."},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:failed: a file or a JVM cannot be reached; the message says what to do",
            "2:usage: a command, option or argument is wrong",
            "130:Ctrl+C; record and doctor write their result first"
        })
public final class Main implements Runnable {

    @Spec private CommandSpec spec = CommandSpec.create();

    private Main() {}

    /** The version in the jar's manifest. */
    static final class Version implements IVersionProvider {

        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"heapsampler " + (version == null ? "(unpacked)" : version)};
        }
    }

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
        line.setOut(out).setErr(err);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler(Main::failed);
        int code = line.execute(words.toArray(String[]::new));
        out.flush();
        err.flush();
        return code;
    }

    /**
     * The jar of the allocation instrumenter's flame sampler took a file and a filter without a
     * command, and stacks.txt by default.
     */
    private static boolean isCollapseOfOld(CommandLine line, List<String> words) {
        if (words.isEmpty()) {
            return Files.isRegularFile(CollapseCommand.USUAL);
        }
        String first = words.get(0);
        if (line.getSubcommands().containsKey(first)
                || words.size() > 2
                || words.stream().anyMatch(word -> word.startsWith("-"))) {
            return false;
        }
        try {
            return Files.isRegularFile(Path.of(first));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** An expected failure becomes a message. Any other exception is a bug and keeps its trace. */
    private static int failed(Exception e, CommandLine line, CommandLine.ParseResult result)
            throws Exception {
        if (!(e instanceof FailureException)) {
            throw e;
        }
        line.getErr().println("heapsampler: " + PrintableText.of(e.getMessage()));
        return CommandLine.ExitCode.SOFTWARE;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Name a command, such as watch or top. Try --help.");
    }
}
