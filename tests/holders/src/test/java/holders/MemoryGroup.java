// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A memory cgroup for one test, of version 1 or 2. Close it when its processes have ended. */
final class MemoryGroup implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 30;
    private static final Path ROOT = Path.of("/sys/fs/cgroup");

    private final Path folder;
    private final String limit;
    private final String usage;

    private MemoryGroup(Path folder, String limit, String usage) {
        this.folder = folder;
        this.limit = limit;
        this.usage = usage;
    }

    /** Returns a new one; empty where this user, or the system, has none to make. */
    static Optional<MemoryGroup> make() {
        String name = "holders-" + ProcessHandle.current().pid();
        return make(
                        ROOT.resolve("memory").resolve(name),
                        "memory.limit_in_bytes",
                        "memory.usage_in_bytes")
                .or(() -> make(ROOT.resolve(name), "memory.max", "memory.current"));
    }

    private static Optional<MemoryGroup> make(Path folder, String limit, String usage) {
        if (!Files.isDirectory(folder.getParent())) {
            return Optional.empty();
        }
        try {
            Files.createDirectory(folder);
            if (Files.isWritable(folder.resolve(limit))) {
                return Optional.of(new MemoryGroup(folder, limit, usage));
            }
            Files.delete(folder);
        } catch (IOException e) {
            // There is none to make.
        }
        return Optional.empty();
    }

    /** Moves a process there; what it has allocated before counts elsewhere. */
    void add(long pid) throws IOException {
        Files.writeString(folder.resolve("cgroup.procs"), String.valueOf(pid));
    }

    /** Returns bytes. */
    long used() throws IOException {
        return Long.parseLong(Files.readString(folder.resolve(usage)).strip());
    }

    void limit(long bytes) throws IOException {
        Files.writeString(folder.resolve(limit), String.valueOf(bytes));
    }

    @Override
    public void close() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Files.readString(folder.resolve("cgroup.procs")).isEmpty()
                && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait(); // the last process is on its way out
        }
        Files.delete(folder);
    }
}
