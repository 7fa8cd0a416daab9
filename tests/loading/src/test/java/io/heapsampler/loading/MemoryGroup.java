// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A memory cgroup of the test's own, where one can be made: as root, with the files writable. */
final class MemoryGroup implements AutoCloseable {

    private static final Path TOP = Path.of("/sys/fs/cgroup");

    private final Path folder;

    private MemoryGroup(Path folder) {
        this.folder = folder;
    }

    /**
     * Makes a group with a limit.
     *
     * @throws IOException if that is not possible; the message says why
     */
    static MemoryGroup limitedTo(long bytes) throws IOException {
        boolean isFirst = Files.isDirectory(TOP.resolve("memory"));
        Path top = isFirst ? TOP.resolve("memory") : TOP;
        Path folder = top.resolve("heapsampler-test-" + ProcessHandle.current().pid());
        Files.createDirectory(folder);
        MemoryGroup group = new MemoryGroup(folder);
        try {
            String limit = isFirst ? "memory.limit_in_bytes" : "memory.max";
            Files.writeString(folder.resolve(limit), Long.toString(bytes));
            return group;
        } catch (IOException e) {
            group.close();
            throw e;
        }
    }

    /** Returns a command that runs the rest of its command line in the group. */
    List<String> command() {
        Path members = folder.resolve("cgroup.procs");
        return List.of("sh", "-c", "echo $$ > " + members + " && exec \"$@\"", "sh");
    }

    /** Removes the group, which must be empty. */
    @Override
    public void close() throws IOException {
        Files.delete(folder);
    }
}
