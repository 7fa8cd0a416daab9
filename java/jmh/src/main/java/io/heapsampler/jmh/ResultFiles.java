// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.jmh;

import io.heapsampler.export.ExportFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Files beside the table of a fork. A file that cannot be written is a line, and no exception. */
final class ResultFiles {

    /** Writes a file. */
    interface Writer {

        void write(Path file, ExportFormat format) throws IOException;
    }

    private final String name;
    private final Writer writer;
    private final List<String> lines = new ArrayList<>();

    /** Files with a name, to which the suffix of the format is added. */
    ResultFiles(String name, Writer writer) {
        this.name = name;
        this.writer = writer;
    }

    /** Writes a file beside those that exist; null: does nothing. */
    void write(@Nullable Path folder, ExportFormat format) {
        if (folder == null) {
            return;
        }
        Path file = unused(folder, format);
        try {
            Files.createDirectories(folder);
            writer.write(file, format);
            lines.add("Written: " + file);
        } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
            lines.add("Not written: " + file + ", because of " + e);
        }
    }

    /** Without forks, one JVM runs a benchmark several times. */
    private Path unused(Path folder, ExportFormat format) {
        Path file = folder.resolve(name + format.suffix());
        for (int number = 2; Files.exists(file); number++) {
            file = folder.resolve(name + "-" + number + format.suffix());
        }
        return file;
    }

    /** Returns a line for each file. */
    List<String> lines() {
        return Collections.unmodifiableList(lines);
    }
}
