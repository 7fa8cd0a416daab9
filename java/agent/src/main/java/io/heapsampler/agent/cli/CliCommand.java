// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.HeapMetric;
import io.heapsampler.internal.shared.JsonText;
import io.heapsampler.internal.shared.OnlyLabel;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
            return Printing.json(schema).name("pid").value(Long.parseLong(pid));
        }

        final Target attach() throws FailureException {
            return Target.attach(pid, err());
        }
    }

    /** A command that takes snapshots of a running JVM. */
    abstract static class OnSampledJvm extends OnJvm {

        @Option(
                names = {"-i", "--interval"},
                converter = Quantities.Interval.class,
                description =
                        "Sample for this command alone, with these mean bytes between two samples"
                                + " of a thread, such as 64k. By default record takes 512k, and"
                                + " watch shows the existing samples if there are any.")
        private @Nullable Long interval;

        @Option(
                names = "--gc",
                description =
                        "Force a collection before each snapshot, so that dead objects do not"
                                + " count as live. It pauses the JVM.")
        private boolean isAfterGc;

        final boolean hasInterval() {
            return interval != null;
        }

        final boolean isAfterGc() {
            return isAfterGc;
        }

        /** Begins a recording of the connection's own. */
        final void beginRecording(Target target) throws FailureException {
            target.ask(interval == null ? "record" : "record " + interval);
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

    /** The figure and the size of a printed ranking. */
    static final class Ranking {

        private static final int FRAMES_OF_TEXT = 5;

        @Option(
                names = {"-m", "--metric"},
                description =
                        "The figure to rank by: ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by"
                                + " default.")
        private HeapMetric metric;

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

        Ranking(HeapMetric usual) {
            this.metric = usual;
        }

        HeapMetric metric() {
            return metric;
        }

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

    /** The label by which a command chooses samples. */
    static final class Only {

        @Option(
                names = "--only",
                paramLabel = "KEY=VALUE",
                converter = Quantities.Label.class,
                description =
                        "Only the samples with this label, such as tenant=acme; tenant= for the"
                                + " samples without this key.")
        private @Nullable OnlyLabel label;

        @Nullable OnlyLabel label() {
            return label;
        }

        /** Returns the chosen samples; all without the option. */
        HeapSnapshot of(HeapSnapshot snapshot) {
            return label == null ? snapshot : snapshot.filter(label.filter());
        }
    }

    /** A failure that the user can fix: the program prints its message and exits with 1. */
    static final class FailureException extends Exception {

        private static final long serialVersionUID = 1L;

        /** Takes a message: what failed, why, and what to do. */
        FailureException(String message) {
            super(message);
        }

        FailureException(String message, @Nullable Exception cause) {
            super(message, cause);
        }
    }

    /** Reads a snapshot. */
    static HeapSnapshot readSnapshot(Path file) throws FailureException {
        if (Files.isDirectory(file)) {
            throw new FailureException(file + " is a folder. Name a snapshot file in it.");
        }
        try {
            return HeapSnapshot.read(file);
        } catch (NoSuchFileException e) {
            throw new FailureException(
                    file
                            + " does not exist. Name a file that record or HeapSnapshot.writeTo()"
                            + " saved.",
                    e);
        } catch (AccessDeniedException e) {
            throw new FailureException("You may not read " + file + ". Check its owner.", e);
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            String advice =
                    message.contains("is damaged")
                            ? " If it was copied, copy it again, as a binary file."
                            : "";
            throw new FailureException(message + advice, e);
        }
    }
}
