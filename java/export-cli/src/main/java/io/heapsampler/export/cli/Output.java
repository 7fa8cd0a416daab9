// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import io.heapsampler.export.ExportFormat;
import io.heapsampler.internal.shared.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Where a command writes to. */
public final class Output {

    private static final String STANDARD = "-";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUTPUT",
            description = "The file to write; - for the standard output.")
    private @Nullable Path file;

    @Option(names = "--force", description = "Replace a file that is there.")
    private boolean isForced;

    /** Made by picocli, or in the place of no options. */
    public Output() {}

    /**
     * Says whether a file was given.
     *
     * @return true for a file, or for the standard output
     */
    public boolean isGiven() {
        return file != null;
    }

    /**
     * Returns the file that was given.
     *
     * @return the file, or {@code -}; null for none
     */
    public @Nullable Path file() {
        return file;
    }

    /**
     * Returns the format that the name of the file asks for.
     *
     * @return empty if it asks for none, or no file was given
     */
    public Optional<ExportFormat> format() {
        return file == null ? Optional.empty() : ExportFormat.ofFileName(file.toString());
    }

    /**
     * Returns the file to write: the one given, or one with another ending beside the input.
     *
     * @param input the input
     * @param format the format
     * @return the file
     */
    public Path orBeside(Path input, ExportFormat format) {
        if (file != null) {
            return file;
        }
        String name = String.valueOf(input.getFileName());
        String suffix = ExportFormat.HSNAP.suffix();
        String stem =
                name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : name;
        return input.resolveSibling(stem + format.suffix());
    }

    /**
     * Refuses a file that could not be written: it is there, or its folder is not.
     *
     * @param to the file, or {@code -}
     * @throws FailureException if it could not be
     */
    public void check(Path to) throws FailureException {
        if (to.toString().equals(STANDARD)) {
            return;
        }
        if (!isForced && Files.isRegularFile(to)) {
            throw new FailureException(to + " is there already. Replace it with --force.");
        }
        if (Files.isDirectory(to)) {
            throw new FailureException(to + " is a folder. Name a file in it.");
        }
        Path folder = to.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new FailureException("There is no folder for " + to + ". Make it first.");
        }
    }

    /**
     * Writes the file, and says so.
     *
     * @param line the command
     * @param to the file, or {@code -}
     * @param content what to write
     * @throws FailureException if that cannot be done
     */
    public void write(CommandLine line, Path to, WholeFile.Content content)
            throws FailureException {
        try {
            if (to.toString().equals(STANDARD)) {
                content.to(System.out);
                return;
            }
            check(to);
            WholeFile.replace(to, content);
        } catch (NoSuchFileException e) {
            throw new FailureException("There is no folder for " + to + ". Make it first.", e);
        } catch (IOException e) {
            throw new FailureException(
                    "Cannot write " + to + ": " + e + ". Is there room, and may you write there?",
                    e);
        }
        line.getErr().println("wrote " + Text.printable(to.toString()));
    }
}
