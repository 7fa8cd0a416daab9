// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A memory cgroup for one test, of version 1 or 2, where one can be made: as root, with its files
 * writable. Close it when its processes have ended.
 */
public final class MemoryGroup implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 30;
    private static final long PAUSE_NANOS = 2_000_000;
    private static final Path ROOT = Path.of("/sys/fs/cgroup");

    private final Path folder;
    private final String limit;
    private final String usage;

    private MemoryGroup(boolean isFirstVersion) {
        Path parent = isFirstVersion ? ROOT.resolve("memory") : ROOT;
        folder = parent.resolve("heapsampler-test-" + ProcessHandle.current().pid());
        limit = isFirstVersion ? "memory.limit_in_bytes" : "memory.max";
        usage = isFirstVersion ? "memory.usage_in_bytes" : "memory.current";
    }

    /**
     * Makes a group, without a limit.
     *
     * @throws IOException if that is not possible; the message says why
     */
    public static MemoryGroup make() throws IOException {
        MemoryGroup group = new MemoryGroup(Files.isDirectory(ROOT.resolve("memory")));
        Files.createDirectory(group.folder);
        if (!Files.isWritable(group.folder.resolve(group.limit))) {
            Files.delete(group.folder);
            throw new IOException("no " + group.limit + " that can be written");
        }
        return group;
    }

    /** Moves a process there; what it has allocated before counts elsewhere. */
    public void add(long pid) throws IOException {
        Files.writeString(members(), String.valueOf(pid));
    }

    /** Returns a command that runs the rest of its command line in the group. */
    public List<String> command() {
        return List.of("sh", "-c", "echo $$ > " + members() + " && exec \"$@\"", "sh");
    }

    private Path members() {
        return folder.resolve("cgroup.procs");
    }

    /** Returns the used bytes. */
    public long used() throws IOException {
        return Long.parseLong(Files.readString(folder.resolve(usage)).strip());
    }

    /** Sets the maximum of used bytes. */
    public void limit(long bytes) throws IOException {
        Files.writeString(folder.resolve(limit), String.valueOf(bytes));
    }

    /** Removes the group, and waits until its last process is gone. */
    @Override
    public void close() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Files.readString(members()).isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        Files.delete(folder);
    }
}
