// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.agent.cli.CliCommand.FailureException;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.internal.shared.JsonText;
import io.heapsampler.internal.shared.PrintableText;
import io.heapsampler.internal.shared.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The file that a command writes. */
final class Output {

    private static final String STANDARD = "-";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUTPUT",
            description = "The file to write; - is standard output.")
    private @Nullable Path file;

    @Option(names = "--force", description = "Replace an existing file.")
    private boolean isForced;

    /** Returns true for a file and for standard output. */
    boolean isGiven() {
        return file != null;
    }

    /** Returns the file, or {@code -}; null if the option was not given. */
    @Nullable Path file() {
        return file;
    }

    /** Returns the format that the ending of the file's name selects. */
    Optional<ExportFormat> format() {
        return file == null ? Optional.empty() : ExportFormat.ofFileName(file.toString());
    }

    /** Returns the given file, or one in the folder of the input with another ending. */
    Path orBeside(Path input, ExportFormat format) {
        if (file != null) {
            return file;
        }
        String name = String.valueOf(input.getFileName());
        String suffix = ExportFormat.HSNAP.suffix();
        String stem =
                name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : name;
        return input.resolveSibling(stem + format.suffix());
    }

    /** Refuses an existing file and a missing folder, before time is spent on the content. */
    void check(CliCommand command, Path to) throws FailureException {
        if (isStandard(command, to)) {
            return;
        }
        if (!isForced && Files.isRegularFile(to)) {
            throw new FailureException(to + " exists. Replace it with --force.");
        }
        if (Files.isDirectory(to)) {
            throw new FailureException(to + " is a folder. Name a file in it.");
        }
        Path folder = to.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw noFolder(to, null);
        }
    }

    /** Returns whether a name means standard output, which the option --json needs for itself. */
    private static boolean isStandard(CliCommand command, Path to) {
        if (!to.toString().equals(STANDARD)) {
            return false;
        }
        if (command.isJson()) {
            throw command.wrongUsage(
                    "--json and -o - both write to standard output. Name a file with -o, or leave"
                            + " out --json.");
        }
        return true;
    }

    /** Writes the given file, or one beside the input, and reports it. */
    void writeBeside(CliCommand command, Path input, ExportFormat format, WholeFile.Content content)
            throws FailureException {
        write(command, orBeside(input, format), format.name(), content);
    }

    /** Writes the file and reports it. */
    void write(CliCommand command, Path to, String format, WholeFile.Content content)
            throws FailureException {
        check(command, to);
        if (!writeContent(command, to, content)) {
            return;
        }
        command.err().println("wrote " + PrintableText.of(to.toString()));
        if (command.isJson()) {
            JsonText json = Printing.json("file:1").name("file").value(to.toString());
            command.print(json.name("format").value(format).end('}'));
        }
    }

    /** Replaces a file as a whole, or writes to standard output: then returns false. */
    static boolean writeContent(CliCommand command, Path to, WholeFile.Content content)
            throws FailureException {
        try {
            if (isStandard(command, to)) {
                content.to(System.out);
                return false;
            }
            WholeFile.replace(to, content);
            return true;
        } catch (NoSuchFileException e) {
            throw noFolder(to, e);
        } catch (IOException e) {
            throw new FailureException(
                    "Cannot write " + to + ": " + e + ". Check the free space and the permissions.",
                    e);
        }
    }

    private static FailureException noFolder(Path to, @Nullable Exception cause) {
        return new FailureException(
                "The folder of " + to + " does not exist. Create it first.", cause);
    }
}
