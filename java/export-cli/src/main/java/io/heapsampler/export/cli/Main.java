// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code heapsampler}. */
@Command(
        name = "heapsampler",
        description = "Reads snapshots that HeapSnapshot.writeTo has saved.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:a file cannot be read or written; the message says what to do",
            "2:wrong arguments"
        })
public final class Main implements Runnable {

    @Spec private CommandSpec spec = CommandSpec.create();

    private Main() {}

    /** What the jar says about itself. */
    public static final class Version implements IVersionProvider {

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
        return run(new CommandLine(new Main()), out, err, arguments);
    }

    /**
     * Runs a command to which those over saved snapshots are added.
     *
     * @param line the command, with its other subcommands
     * @param out for what was asked for
     * @param err for what else there is to say
     * @param arguments as {@code --help} describes them
     * @return the exit code
     */
    public static int run(CommandLine line, PrintWriter out, PrintWriter err, String... arguments) {
        line.addSubcommand(new ConvertCommand())
                .addSubcommand(new TopCommand())
                .addSubcommand(new DiffCommand())
                .addSubcommand(new ReportCommand());
        line.setOut(out).setErr(err);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler(Main::failed);
        int code = line.execute(arguments);
        out.flush();
        err.flush();
        return code;
    }

    /** Only what was foreseen becomes a message; the rest is our mistake and keeps its trace. */
    private static int failed(Exception e, CommandLine line, CommandLine.ParseResult result)
            throws Exception {
        if (!(e instanceof FailureException)) {
            throw e;
        }
        line.getErr().println("heapsampler: " + Text.printable(e.getMessage()));
        return CommandLine.ExitCode.SOFTWARE;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Say what to do: convert, top, diff or report. Try --help.");
    }
}
