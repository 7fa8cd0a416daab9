// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A file that several JVMs change, one at a time. Each holds the lock of a file beside it, {@code
 * <name>.lock}, which it deletes afterwards.
 *
 * <p>The file itself cannot be locked, because each change replaces it. Because a lock file is
 * deleted, another JVM may get the lock of one that is gone. So a JVM with a lock gives the file a
 * random size, and compares it with that of the file at the path. It must not open the file for
 * that: to close any channel of a file gives its lock back. Safe for use by many threads and class
 * loaders.
 */
final class SharedFile {

    /**
     * The same object in all class loaders of the JVM. Two of them must not have the lock file open
     * at once: the first that closes it gives the lock of the other back.
     */
    private static final Object ONE_IN_THE_JVM = "io.heapsampler.assertions.SharedFile".intern();

    private static final long PAUSE_MILLIS = 2;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private static final int LARGEST = 1 << 20;

    /** Beyond the end: Windows refuses to write where another has a lock. */
    private static final long LOCKED = Long.MAX_VALUE - 1;

    private static final boolean IS_WINDOWS = File.separatorChar == '\\';

    private SharedFile() {}

    /** A change of the file. */
    interface Change {

        /** Makes the change. */
        void make() throws IOException;
    }

    /**
     * Makes a change while no other JVM makes one.
     *
     * @throws IOException if the change fails, or others hold the lock for more than a minute
     */
    static void change(Path file, Change change) throws IOException {
        synchronized (ONE_IN_THE_JVM) {
            boolean isInterrupted = Thread.interrupted(); // an interrupt would close the channel
            try {
                changeAlone(file, change, PATIENCE_NANOS);
            } finally {
                if (isInterrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** Makes it within some time; to be called by one thread at a time. */
    static void changeAlone(Path file, Change change, long patienceNanos) throws IOException {
        Path path = file.resolveSibling(file.getFileName() + ".lock");
        long start = System.nanoTime();
        while (!isMade(path, change)) {
            if (System.nanoTime() - start > patienceNanos) {
                throw new IOException(
                        "other JVMs have locked it for a minute; if none of them runs, delete "
                                + path);
            }
            pause();
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for its lock", e);
        }
    }

    /** Returns false if another holds the lock, or has deleted the file in the meantime. */
    private static boolean isMade(Path path, Change change) throws IOException {
        try (FileChannel channel =
                        FileChannel.open(
                                path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = lock(channel)) {
            if (lock == null || !isThere(path, channel)) {
                return false;
            }
            try {
                change.make();
            } finally {
                Files.deleteIfExists(path);
            }
            return true;
        } catch (AccessDeniedException e) {
            if (IS_WINDOWS) { // deleted by another that has not closed it yet
                return false;
            }
            throw e;
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock(LOCKED, 1, false);
        } catch (OverlappingFileLockException e) { // other code of this JVM
            return null;
        }
    }

    /** Does the path still lead to the file that is locked? */
    private static boolean isThere(Path path, FileChannel channel) throws IOException {
        int size = 1 + ThreadLocalRandom.current().nextInt(LARGEST);
        channel.truncate(0);
        channel.write(ByteBuffer.allocate(1), size - 1);
        try {
            return Files.size(path) == size;
        } catch (IOException e) { // deleted, or about to be
            return false;
        }
    }
}
