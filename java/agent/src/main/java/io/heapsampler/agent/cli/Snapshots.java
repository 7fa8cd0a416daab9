// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads snapshots. A failure says what to do. */
final class Snapshots {

    private Snapshots() {}

    static HeapSnapshot read(Path file) throws FailureException {
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
            boolean isDamaged = message.contains("is damaged");
            throw new FailureException(
                    isDamaged
                            ? message + " If it was copied, copy it again, as a binary file."
                            : message,
                    e);
        }
    }
}
