// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select and collapse stacks. */
final class CollapseInput {

    @Option(
            names = {"-g", "--group"},
            paramLabel = "FILTER",
            description =
                    "A part of the name of a package, class or method; case does not matter. Frames"
                            + " before the first match are dropped, and stacks without a match.")
    private @Nullable String filter;

    @Option(names = "--keep-others", description = "Keep stacks without a match, whole.")
    private boolean keepsOthers;

    @Option(
            names = "--no-squash",
            description = "Keep each frame of direct recursion; by default they become one frame.")
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
