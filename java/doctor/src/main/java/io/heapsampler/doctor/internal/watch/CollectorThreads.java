// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.StringTokenizer;

/**
 * How long the threads that collect garbage have run, and how long they were ready to run and
 * waited for a processor, as Linux counts it in {@code /proc/self/task/<tid>/schedstat}. On a
 * machine or in a container with too few processors a pause is long because of the wait. Not safe
 * for use by many threads.
 */
final class CollectorThreads {

    /** Beginnings of the names of threads, of which the kernel keeps 15 characters. */
    private static final String[] NAMES = {"VM Thread", "GC Thread#", "ZWorker", "Shenandoah GC T"};

    /** Collectors start threads when they need them: they are looked for anew now and then. */
    private static final int LOOK_EVERY = 10;

    private static final double NANOS_PER_MILLI = 1e6;

    private final Path tasks;

    /** Nanoseconds that each thread has run and waited, when it was last read. */
    private final Map<Path, long[]> last = new HashMap<>();

    private int looks;
    private boolean isKnown;
    private long run;
    private long waited;

    CollectorThreads() {
        this(Path.of("/proc/self/task"));
    }

    CollectorThreads(Path tasks) {
        this.tasks = tasks;
    }

    /** Reads the counters. */
    void refresh() {
        if (looks++ % LOOK_EVERY == 0) {
            find();
        }
        last.entrySet().removeIf(each -> !read(each.getKey(), each.getValue()));
    }

    private void find() {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(tasks)) {
            for (Path task : all) {
                if (!last.containsKey(task) && isCollector(task)) {
                    last.put(task, new long[2]);
                }
            }
        } catch (IOException | RuntimeException e) {
            last.clear(); // No such folder, as on other systems.
        }
    }

    private static boolean isCollector(Path task) {
        try {
            String name = Files.readString(task.resolve("comm"));
            for (String prefix : NAMES) {
                if (name.startsWith(prefix)) {
                    return true;
                }
            }
        } catch (IOException e) {
            // The thread has ended.
        }
        return false;
    }

    /** Returns false if the thread has ended, or if this kernel does not count. */
    private boolean read(Path task, long[] before) {
        try {
            StringTokenizer counts =
                    new StringTokenizer(Files.readString(task.resolve("schedstat")));
            long nowRun = Long.parseLong(counts.nextToken());
            long nowWaited = Long.parseLong(counts.nextToken());
            run += nowRun - before[0];
            waited += nowWaited - before[1];
            before[0] = nowRun;
            before[1] = nowWaited;
            isKnown = true;
            return true;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /** Returns how long they have run up to the last refresh, in milliseconds; -1 if unknown. */
    double runMillis() {
        return isKnown ? run / NANOS_PER_MILLI : -1;
    }

    /** Returns how long they have waited for a processor, in milliseconds; -1 if unknown. */
    double waitedMillis() {
        return isKnown ? waited / NANOS_PER_MILLI : -1;
    }
}
