// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.internal.shared.JsonText;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The options, outputs and exit code that all commands share. */
@Command(mixinStandardHelpOptions = true, versionProvider = Main.Version.class)
abstract class CliCommand implements Callable<Integer> {

    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--json",
            description =
                    "Print the result as JSON on standard output. Messages and errors stay text on"
                            + " standard error.")
    private boolean isJson;

    /** Does the work; a normal return is exit code 0. */
    abstract void execute() throws FailureException;

    @Override
    public final Integer call() throws FailureException {
        execute();
        return CommandLine.ExitCode.OK;
    }

    final boolean isJson() {
        return isJson;
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** Prints one document on one line. */
    final void print(JsonText document) {
        out().println(document);
        out().flush();
    }

    /** Returns the exception for wrong arguments, which ends the program with exit code 2. */
    final ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** A command that attaches to a running JVM: its first argument. */
    abstract static class OnJvm extends CliCommand {

        @Parameters(index = "0", paramLabel = "PID", description = "The process ID of the JVM.")
        private String pid = "";

        final String pid() {
            return pid;
        }

        /** Begins a document about this JVM, to which the command has attached. */
        final JsonText json(String schema) {
            return CliJson.begin(schema).name("pid").value(Long.parseLong(pid));
        }

        final Target attach() throws FailureException {
            return Target.attach(pid, err());
        }
    }

    /** A command that reads one saved snapshot. */
    abstract static class OnSnapshot extends CliCommand {

        @Parameters(
                paramLabel = "SNAPSHOT",
                description =
                        "A snapshot file (.hsnap), saved by record or HeapSnapshot.writeTo().")
        private Path file = Path.of("");

        final Path file() {
            return file;
        }
    }

    /** How much of a ranking is printed. */
    static final class Ranking {

        private static final int FRAMES_OF_TEXT = 5;

        @Option(
                names = {"-n", "--count"},
                description = "The number of rows to print; ${DEFAULT-VALUE} by default.")
        private int count = 20;

        @Option(
                names = {"-d", "--depth"},
                description =
                        "The number of stack frames per site; 5 by default, with --json all"
                                + " frames.")
        private int depth = -1;

        int count() {
            return Math.max(count, 0);
        }

        int depth(boolean isJson) {
            if (depth >= 0) {
                return depth;
            }
            return isJson ? Integer.MAX_VALUE : FRAMES_OF_TEXT;
        }
    }
}
