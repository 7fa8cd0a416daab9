// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The JVM's thread that works in stops. Its processor time says how long a stop would take on a
 * machine that does nothing else.
 */
final class VmThread {

    private static final String NAME = "VM Thread";

    private final Path times;

    private VmThread(Path times) {
        this.times = times;
    }

    /** Returns that of this JVM. */
    static VmThread find() throws IOException {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                if (Files.readString(thread.resolve("comm")).strip().equals(NAME)) {
                    return new VmThread(thread.resolve("schedstat"));
                }
            }
        }
        throw new IllegalStateException("no thread \"" + NAME + "\" in /proc/self/task");
    }

    double cpuMillis() throws IOException {
        return millis(0);
    }

    /** Returns how long it was ready to run, and others did. */
    double waitMillis() throws IOException {
        return millis(1);
    }

    private double millis(int column) throws IOException {
        return Long.parseLong(Files.readString(times).strip().split(" ")[column]) / 1e6;
    }
}
