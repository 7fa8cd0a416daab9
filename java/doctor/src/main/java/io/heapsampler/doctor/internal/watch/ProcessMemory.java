// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The resident memory of this process, as reported by Linux. */
final class ProcessMemory {

    private final Path status;
    private String text = "";

    ProcessMemory() {
        this(Path.of("/proc/self/status"));
    }

    ProcessMemory(Path status) {
        this.status = status;
    }

    /** Reads anew. */
    void refresh() {
        try {
            text = "\n" + Files.readString(status, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            text = ""; // Not Linux, or no file left to open.
        }
    }

    /** Returns the memory at the last refresh, in bytes; −1 if it is not known. */
    long resident() {
        return bytes("\nVmRSS:");
    }

    /** Returns the pages of files among it. */
    long residentFile() {
        return bytes("\nRssFile:");
    }

    /** Returns the shared memory among it, such as the heap of ZGC. */
    long residentShared() {
        return bytes("\nRssShmem:");
    }

    private long bytes(String key) {
        int at = text.indexOf(key);
        int end = text.indexOf(" kB", at);
        return at < 0 || end < 0
                ? -1
                : Long.parseLong(text.substring(at + key.length(), end).strip()) * 1024;
    }
}
