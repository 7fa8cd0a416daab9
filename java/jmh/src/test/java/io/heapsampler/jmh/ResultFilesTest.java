// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.export.ExportFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFilesTest {

    @TempDir Path folder;

    private static void fill(Path file, ExportFormat format) throws IOException {
        Files.writeString(file, format.name());
    }

    private List<String> written(ResultFiles.Writer writer) {
        ResultFiles files = new ResultFiles("list-7", writer);
        files.write(folder.resolve("new"), ExportFormat.HTML);
        files.write(null, ExportFormat.PPROF);
        return files.lines();
    }

    @Test
    void anExistingFileStays() {
        assertThat(written(ResultFilesTest::fill)).containsExactly("Written: " + file("list-7"));
        assertThat(written(ResultFilesTest::fill)).containsExactly("Written: " + file("list-7-2"));
        assertThat(written(ResultFilesTest::fill)).containsExactly("Written: " + file("list-7-3"));
    }

    private Path file(String name) {
        return folder.resolve("new").resolve(name + ExportFormat.HTML.suffix());
    }

    @Test
    void aFailureIsALineAndNoException() {
        for (Throwable failure :
                List.of(
                        new IOException("full"),
                        new IllegalStateException("closed"),
                        new NoClassDefFoundError("Other"),
                        new OutOfMemoryError("heap"))) {
            assertThat(written((file, format) -> sneak(failure)))
                    .containsExactly("Not written: " + file("list-7") + ", because of " + failure);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable failure) throws T {
        throw (T) failure;
    }
}
