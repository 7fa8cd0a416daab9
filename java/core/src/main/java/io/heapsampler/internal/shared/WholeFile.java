// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;

/** Files of which a reader sees all or nothing, even after a crash. */
public final class WholeFile {

    private WholeFile() {}

    /** Something that writes to a stream. */
    @FunctionalInterface
    public interface Content {

        /** Writes all of it. The stream stays open. */
        void to(OutputStream out) throws IOException;
    }

    /**
     * Writes a file as a whole or not at all: to a temp file in the same folder, which is flushed
     * to the disk and then renamed.
     *
     * <p>A symbolic link stays, and the file it leads to is replaced. A file that is replaced keeps
     * its permissions; a new one has those that the umask of the process gives. A pipe, a device or
     * any other path that is not a regular file is written to directly.
     *
     * @throws IOException if it cannot be written; then nothing new stays, and the old file does
     */
    public static void replace(Path file, Content content) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            try (OutputStream out = Files.newOutputStream(file)) {
                content.to(out);
            }
            return;
        }
        // A link that leads to no file yet cannot be resolved; it would be replaced, so it is
        // refused.
        if (Files.isSymbolicLink(file) && !Files.exists(file)) {
            throw new IOException(
                    file
                            + " is a symbolic link to a file that does not exist. Remove the link,"
                            + " or name the file.");
        }
        replaceRegular(Files.exists(file) ? file.toRealPath() : file, content, false);
    }

    /**
     * The same for a file in a folder where others may prepare something: a symbolic link is
     * replaced, and the file it leads to stays. Only this user can read and write a new file.
     *
     * @throws IOException if it cannot be written; then nothing new stays, and the old file does
     */
    public static void replaceName(Path file, Content content) throws IOException {
        replaceRegular(file, content, true);
    }

    private static void replaceRegular(Path file, Content content, boolean isPrivate)
            throws IOException {
        String name = file.getFileName() + "." + Long.toHexString(System.nanoTime()) + ".part";
        Path part = file.resolveSibling(name);
        try {
            // Such a stream can be written to also while the thread is interrupted.
            try (OutputStream out =
                    Files.newOutputStream(
                            part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                setPermissions(file, part, isPrivate); // before there is anything to read
                content.to(out);
            }
            flushToDisk(part);
            // In one step: to replace a file in Java's own way is to delete it first.
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** A channel is closed when its thread is interrupted, so that has to wait meanwhile. */
    private static void flushToDisk(Path part) throws IOException {
        boolean isInterrupted = false;
        try {
            for (boolean isDone = false; !isDone; ) {
                isInterrupted |= Thread.interrupted();
                isDone = isFlushed(part);
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns false if an interrupt came in between; it is set again. */
    private static boolean isFlushed(Path part) throws IOException {
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
            channel.force(true);
            return true;
        } catch (ClosedByInterruptException e) {
            return false;
        }
    }

    private static void setPermissions(Path from, Path to, boolean isPrivate) throws IOException {
        PosixFileAttributeView target =
                Files.getFileAttributeView(to, PosixFileAttributeView.class);
        if (target != null && Files.isRegularFile(from, LinkOption.NOFOLLOW_LINKS)) {
            target.setPermissions(Files.getPosixFilePermissions(from));
        } else if (target != null && isPrivate) {
            target.setPermissions(PosixFilePermissions.fromString("rw-------"));
        }
    }
}
