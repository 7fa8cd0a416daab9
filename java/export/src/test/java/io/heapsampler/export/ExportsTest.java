// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files are written as a whole or not at all. */
class ExportsTest {

    @TempDir private Path folder;

    @Test
    void replacesAFile() throws IOException {
        Path file = Files.writeString(folder.resolve("heap.csv"), "old, and longer than the new");

        Exports.replace(file, out -> out.write("new".getBytes("UTF-8")));

        assertThat(file).hasContent("new");
        assertThat(folder).isDirectoryContaining(file::equals);
        assertThat(folder.toFile().list()).hasSize(1);
    }

    @Test
    void leavesWhatWasThereWhenWritingFails() throws IOException {
        Path file = Files.writeString(folder.resolve("heap.csv"), "old");

        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> Exports.replace(file, ExportsTest::half))
                .withMessage("no room");

        assertThat(file).hasContent("old");
        assertThat(folder.toFile().list()).hasSize(1);
    }

    @Test
    void leavesNothingWhenWritingANewFileFails() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> Exports.replace(folder.resolve("heap.csv"), ExportsTest::half));

        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void writesToWhatIsNoPlainFile() throws IOException {
        // Not by its own name: one who may would replace the machine's.
        Path link = Files.createSymbolicLink(folder.resolve("null"), Path.of("/dev/null"));

        Exports.replace(link, out -> out.write(1));

        assertThat(Files.isSymbolicLink(link)).isTrue();
    }

    private static void half(OutputStream out) throws IOException {
        out.write(1);
        throw new IOException("no room");
    }
}
