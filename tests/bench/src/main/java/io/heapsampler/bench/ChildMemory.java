// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Looks from outside how much private memory the children of this process have. */
final class ChildMemory implements AutoCloseable {

    private static final int EVERY_MILLIS = 200;

    private volatile boolean isOver;
    private volatile long most;

    ChildMemory() {
        new Thread(this::watch, "watch-children").start();
    }

    /** Returns the most bytes that one had. */
    long most() {
        return most;
    }

    private void watch() {
        while (!isOver) {
            ProcessHandle.current()
                    .children()
                    .forEach(child -> most = Math.max(most, privateBytes(child.pid())));
            try {
                Thread.sleep(EVERY_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static long privateBytes(long pid) {
        try {
            return Files.readAllLines(Path.of("/proc/" + pid + "/smaps_rollup")).stream()
                    .filter(line -> line.startsWith("Private_"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .sum();
        } catch (IOException e) {
            return 0; // It has ended meanwhile.
        }
    }

    @Override
    public void close() {
        isOver = true;
    }
}
