// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export.cli;

import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads snapshots, and says what to do where that fails. */
public final class Snapshots {

    private Snapshots() {}

    /**
     * Reads a snapshot.
     *
     * @param file the file
     * @return the snapshot
     * @throws FailureException if it cannot be read
     */
    public static HeapSnapshot read(Path file) throws FailureException {
        if (Files.isDirectory(file)) {
            throw new FailureException(file + " is a folder. Name a snapshot in it.");
        }
        try {
            return HeapSnapshot.read(file);
        } catch (NoSuchFileException e) {
            throw new FailureException(
                    "There is no file " + file + ". Name one that HeapSnapshot.writeTo has saved.",
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
