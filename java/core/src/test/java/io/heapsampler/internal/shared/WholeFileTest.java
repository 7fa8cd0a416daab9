// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file is written whole, and stays the file it was. */
class WholeFileTest {

    @TempDir private Path folder;

    private static void write(Path file, String text) throws IOException {
        WholeFile.replace(file, out -> out.write(text.getBytes()));
    }

    private long files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.count();
        }
    }

    @Test
    void permissionsStay() throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        write(file, "new");
        assertThat(file).hasContent("new");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(files()).isOne();
    }

    @Test
    void aLinkStaysALink() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        Path file = Files.writeString(other.resolve("file"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("other", "file"));
        write(link, "new");
        assertThat(link).isSymbolicLink();
        assertThat(file).hasContent("new");
        assertThat(files()).isEqualTo(2);
    }

    /** The user who prepared the link does not choose what is written over, nor who reads it. */
    @Test
    void aLinkLosesItsNameWhereNamesAreReplaced() throws Exception {
        Path other = Files.writeString(folder.resolve("other"), "precious");
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), other);
        WholeFile.replaceName(link, out -> out.write("new".getBytes()));
        assertThat(other).hasContent("precious");
        assertThat(link).isRegularFile().hasContent("new");
        assertThat(Files.isSymbolicLink(link)).isFalse();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(link)))
                .isEqualTo("rw-------");
        assertThat(files()).isEqualTo(2);
    }

    @Test
    void aLinkToNothingIsRefused() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("missing"));
        assertThatIOException()
                .isThrownBy(() -> write(link, "new"))
                .withMessage(
                        link
                                + " is a symbolic link to a file that does not exist. Remove the"
                                + " link, or name the file.");
        assertThat(link).isSymbolicLink();
        assertThat(files()).isOne();
    }

    @Test
    void aFailureLeavesTheOldFile() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "old");
        assertThatIOException()
                .isThrownBy(
                        () ->
                                WholeFile.replace(
                                        file,
                                        out -> {
                                            out.write(1);
                                            throw new IOException("full");
                                        }))
                .withMessage("full");
        assertThat(file).hasContent("old");
        assertThat(files()).isOne();
    }

    @Test
    void aFailureLeavesNoNewFile() throws Exception {
        assertThatIOException()
                .isThrownBy(
                        () ->
                                WholeFile.replace(
                                        folder.resolve("file"),
                                        out -> {
                                            out.write(1);
                                            throw new IOException("full");
                                        }));
        assertThat(files()).isZero();
    }

    @Test
    void aDeviceIsWrittenToDirectly() throws Exception {
        // Through a link: root could replace the machine's own device.
        Path link = Files.createSymbolicLink(folder.resolve("null"), Path.of("/dev/null"));
        write(link, "new");
        assertThat(link).isSymbolicLink();
        assertThat(Files.isRegularFile(link)).isFalse();
    }

    /** As in a task that was cancelled, or on Ctrl+C: the last file is wanted then most of all. */
    @Test
    void anInterruptDoesNotEndTheWriting() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "old");
        Thread.currentThread().interrupt();
        boolean isStillSet;
        try {
            write(file, "new");
        } finally {
            isStillSet = Thread.interrupted();
        }
        assertThat(isStillSet).isTrue();
        assertThat(file).hasContent("new");
        assertThat(files()).isOne();
    }

    @Test
    void anInterruptInTheMidstDoesNotEndTheWriting() throws Exception {
        Path file = folder.resolve("file");
        boolean isStillSet;
        try {
            WholeFile.replace(
                    file,
                    out -> {
                        out.write("one, ".getBytes());
                        Thread.currentThread().interrupt();
                        out.write("two".getBytes());
                    });
        } finally {
            isStillSet = Thread.interrupted();
        }
        assertThat(isStillSet).isTrue();
        assertThat(file).hasContent("one, two");
        assertThat(files()).isOne();
    }
}
