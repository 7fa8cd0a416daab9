// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import io.heapsampler.internal.SnapshotData;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Finds the names of the threads that are roots: those alive, and those that have allocated. */
public final class ThreadsOfRoots {

    private ThreadsOfRoots() {}

    /**
     * Returns names by id; threads without a name are missing.
     *
     * @param data of the snapshot whose samples the block is about
     * @param block as the library wrote it just now, in this process
     * @throws IllegalArgumentException if it is damaged
     */
    public static Map<Long, String> names(SnapshotData data, byte[] block) {
        Map<Long, String> allocating = new HashMap<>();
        for (int i = 0; i < data.threadCount(); i++) {
            allocating.put(data.threadId(i), data.threadName(i));
        }
        return names(allocating, HeldDecoder.decode(block, 0, block.length, data.samples.living));
    }

    /** The same for a block about other objects than samples. */
    public static Map<Long, String> names(byte[] block) {
        return names(Map.of(), HeldDecoder.decode(block, 0, block.length, 0));
    }

    private static Map<Long, String> names(Map<Long, String> allocating, HeldPaths paths) {
        long[] ids = Arrays.stream(paths.thread).filter(id -> id > 0).distinct().toArray();
        Map<Long, String> names = new HashMap<>();
        if (ids.length == 0) {
            return names;
        }
        for (long id : ids) {
            String name = allocating.getOrDefault(id, "");
            if (!name.isEmpty()) {
                names.put(id, name);
            }
        }
        // Without stacks: this takes no safepoint. Virtual threads are missing from it.
        for (ThreadInfo info : ManagementFactory.getThreadMXBean().getThreadInfo(ids, 0)) {
            if (info != null && !info.getThreadName().isEmpty()) {
                names.put(info.getThreadId(), info.getThreadName());
            }
        }
        return names;
    }
}
