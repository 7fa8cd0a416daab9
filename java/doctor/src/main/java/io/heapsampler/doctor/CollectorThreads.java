// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How long the threads that collect garbage have run, and how long they were ready to run and
 * waited for a processor, as Linux counts it in {@code /proc/self/task/<tid>/schedstat}. On a
 * machine or in a container with too few processors a pause is long because of the wait. Not safe
 * for use by many threads.
 */
final class CollectorThreads {

    /** Beginnings of the names of threads, of which the kernel keeps 15 characters. */
    private static final Pattern NAMES =
            Pattern.compile("VM Thread|GC Thread#|ZWorker|XWorker|Shenandoah GC T");

    /** Collectors start threads when they need them: they are looked for anew now and then. */
    private static final int LOOK_EVERY = 10;

    /** The names of this many threads are read for each second until the next look, on average. */
    private static final int NAMES_PER_SECOND = 20;

    private final Path tasks;

    /** Nanoseconds that each thread has run and waited, when it was last read; −1: never. */
    private final Map<Path, long[]> last = new HashMap<>();

    /** Refreshes until the next look. */
    private int rest;

    // Nanoseconds up to the last refresh; −1 if unknown.
    private long run = -1;
    private long waited = -1;

    CollectorThreads(Path tasks) {
        this.tasks = tasks;
    }

    void refresh() {
        if (--rest < 0) {
            rest = Math.max(LOOK_EVERY, find() / NAMES_PER_SECOND) - 1;
        }
        last.entrySet().removeIf(each -> !read(each.getKey(), each.getValue()));
    }

    private int find() {
        String[] names = tasks.toFile().list(); // A stream of the folder takes more classes.
        if (names == null) {
            return 0; // No such folder, or no file left to open: those known stay.
        }
        for (String name : names) {
            Path task = tasks.resolve(name);
            if (!last.containsKey(task) && isCollector(task)) {
                last.put(task, new long[] {-1, -1});
            }
        }
        return names.length;
    }

    private static boolean isCollector(Path task) {
        try {
            return NAMES.matcher(Files.readString(task.resolve("comm"))).lookingAt();
        } catch (IOException e) {
            return false; // The thread has ended.
        }
    }

    /**
     * Adds what a thread has done since it was read last. What it did before it was read first
     * belongs to no time that is known.
     *
     * @return false if the thread has ended, or if this kernel does not count
     */
    private boolean read(Path task, long[] before) {
        try {
            String[] counts = Files.readString(task.resolve("schedstat")).split(" ", 3);
            long nowRun = Long.parseLong(counts[0]);
            long nowWaited = Long.parseLong(counts[1]);
            if (nowRun < before[0] || nowWaited < before[1]) {
                return false; // Another thread has its id.
            }
            run = Math.max(run, 0) + (before[0] < 0 ? 0 : nowRun - before[0]);
            waited = Math.max(waited, 0) + (before[0] < 0 ? 0 : nowWaited - before[1]);
            before[0] = nowRun;
            before[1] = nowWaited;
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException | RuntimeException e) {
            return true; // Such as no file left to open: read again the next time.
        }
    }

    /** Returns how long they have run up to the last refresh, in nanoseconds; −1 if unknown. */
    long run() {
        return run;
    }

    /** Returns how long they have waited for a processor, in nanoseconds; −1 if unknown. */
    long waited() {
        return waited;
    }
}
