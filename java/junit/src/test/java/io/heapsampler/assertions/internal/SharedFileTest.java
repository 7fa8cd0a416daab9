// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Changes of one file, one at a time. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SharedFileTest {

    private static final int LOADERS = 4;
    private static final int CHANGES = 50;

    @TempDir Path directory;

    /** Adds one to the number in a file. */
    static final class Counter implements Runnable {

        private final Path file;

        Counter(Path file) {
            this.file = file;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < CHANGES; i++) {
                    SharedFile.change(file, this::increment);
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void increment() throws IOException {
            int count = Integer.parseInt(Files.readString(file));
            Files.writeString(file, String.valueOf(count + 1));
        }
    }

    @Test
    void classLoadersOfOneJvmDoNotOverwriteEachOther() throws Exception {
        Path file = directory.resolve("count.txt");
        Files.writeString(file, "0");
        ExecutorService threads = Executors.newFixedThreadPool(LOADERS);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int i = 0; i < LOADERS; i++) {
                runs.add(threads.submit(counterOfItsOwnLoader(file)));
            }
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(file).hasContent(String.valueOf(LOADERS * CHANGES));
        assertThat(directory).isDirectoryNotContaining("glob:**.lock");
    }

    private static Runnable counterOfItsOwnLoader(Path file) throws Exception {
        URL[] urls = {
            SharedFile.class.getProtectionDomain().getCodeSource().getLocation(),
            Counter.class.getProtectionDomain().getCodeSource().getLocation()
        };
        ClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        var constructor =
                loader.loadClass(Counter.class.getName()).getDeclaredConstructor(Path.class);
        constructor.setAccessible(true);
        return (Runnable) constructor.newInstance(file);
    }

    @Test
    void lockFileThatStayedBehindDoesNoHarm() throws IOException {
        Path file = directory.resolve("count.txt");
        Files.writeString(file, "0");
        Files.writeString(directory.resolve("count.txt.lock"), "of a JVM that was killed");

        new Counter(file).run();

        assertThat(file).hasContent(String.valueOf(CHANGES));
        assertThat(directory).isDirectoryNotContaining("glob:**.lock");
    }

    @Test
    void changeThatFailsLeavesNoLock() throws IOException {
        Path file = directory.resolve("count.txt");

        assertThatIOException()
                .isThrownBy(
                        () ->
                                SharedFile.change(
                                        file,
                                        () -> {
                                            throw new IOException("full");
                                        }))
                .withMessage("full");
        SharedFile.change(file, () -> Files.writeString(file, "0"));
        assertThat(file).exists();
        assertThat(directory).isDirectoryNotContaining("glob:**.lock");
    }

    @Test
    void fileThatOthersLockIsNamed() throws IOException {
        Path file = directory.resolve("count.txt");
        Path lock = directory.resolve("count.txt.lock");
        try (FileChannel channel =
                FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.lock();

            assertThatIOException()
                    .isThrownBy(() -> SharedFile.changeAlone(file, () -> {}, 0))
                    .withMessage(
                            "other JVMs have locked it for a minute; if none of them runs, delete "
                                    + lock);
        }
    }

    @Test
    void interruptedThreadChangesTheFileAndStaysInterrupted() throws IOException {
        Path file = directory.resolve("count.txt");
        Thread.currentThread().interrupt();

        SharedFile.change(file, () -> Files.writeString(file, "0"));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(file).hasContent("0");
    }

    @Test
    void lockOfAnotherIsWaitedFor() throws Exception {
        Path file = directory.resolve("count.txt");
        Path path = directory.resolve("count.txt.lock");
        Thread changing;
        try (FileChannel channel =
                        FileChannel.open(
                                path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            changing =
                    new Thread(
                            () -> {
                                try {
                                    SharedFile.change(file, () -> Files.writeString(file, "0"));
                                } catch (IOException e) {
                                    throw new IllegalStateException(e);
                                }
                            });
            changing.start();
            while (changing.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            assertThat(lock.isValid()).isTrue();
            assertThat(file).doesNotExist();
        }
        changing.join();
        assertThat(file).hasContent("0");
    }
}
