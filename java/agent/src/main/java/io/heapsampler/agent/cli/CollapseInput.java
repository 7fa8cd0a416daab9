// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.export.cli.FailureException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is collapsed, and how. */
final class CollapseInput {

    @Option(
            names = {"-g", "--group"},
            paramLabel = "FILTER",
            description =
                    "A part of the name of a package, class or method, in any case: what comes"
                            + " before it on a stack is dropped, and so are stacks without it.")
    private @Nullable String filter;

    @Option(names = "--keep-others", description = "Keep stacks without it, whole.")
    private boolean keepsOthers;

    @Option(names = "--no-squash", description = "Keep a frame that calls itself as many frames.")
    private boolean isNotSquashing;

    @Option(
            names = "--state",
            description =
                    "Which lines of a file of lifetimes count: survived, died, live or unconfirmed;"
                            + " ${DEFAULT-VALUE} if not given.")
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
                    "There is no file " + file + ". Name one that the agent has written.", e);
        } catch (IOException e) {
            throw new FailureException("Cannot read " + file + ": " + e + ".", e);
        }
    }
}
