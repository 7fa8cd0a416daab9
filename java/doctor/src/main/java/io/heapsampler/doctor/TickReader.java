// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.HeapSampler;
import io.heapsampler.internal.shared.AllocatedBytes;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the state of this JVM. What it needs is looked up when it is made: a look makes a few small
 * objects, the usage of each memory pool and the like, and loads nothing. Not safe for use by many
 * threads.
 */
final class TickReader implements AutoCloseable {

    /** What a Java thread's stack usually touches; what is reserved for it is never resident. */
    private static final long STACK = 128 * 1024;

    /** The heap's pages are counted again after a change of the resident memory by so much. */
    private static final long STEP = 1 << 20;

    /** In a row, before the process must have stayed as large. */
    private static final int COUNTS = 5;

    /** Collectors keep up to so small a part of the touched heap for marks and cards. */
    private static final long OF_HEAP = 16;

    /** And of the old generation for remembered sets. */
    private static final long OF_OLD = 32;

    private static final Path SELF = Path.of("/proc/self");

    /** −1 ms, see {@link Tick}. */
    private static final long UNKNOWN = -1_000;

    private final VmClock clock;
    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final List<MemoryPoolMXBean> old = new ArrayList<>();
    private final List<MemoryPoolMXBean> other = new ArrayList<>();
    private @Nullable MemoryPoolMXBean metaspace;
    private @Nullable BufferPoolMXBean direct;
    private final @Nullable PerfData counters;
    private final CollectorThreads collectors = new CollectorThreads(SELF.resolve("task"));
    private final ResidentMemory process;
    private final Paced measuring = new Paced(this::measure, 900, 0.001);

    /** The accounted memory beside the heap. */
    private long besideHeap;

    /** What a collector keeps about the old generation stays resident when that is emptied. */
    private long mostOld;

    /** The last measurement. */
    private long unaccounted = Tick.UNMEASURED;

    /** The resident memory at that time. */
    private long residentThen = -STEP;

    /** With the largest size of the heap. */
    TickReader(VmClock clock, long maxHeap) {
        this.clock = clock;
        this.process =
                new ResidentMemory(SELF, maxHeap, memory.getHeapMemoryUsage().getCommitted());
        List<String> heap = CollectionParser.heapPools();
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            String name = pool.getName();
            metaspace = name.equals(CollectionParser.METASPACE) ? pool : metaspace;
            if (!heap.contains(name)) {
                other.add(pool);
            } else if (CollectionParser.isOld(name, heap.size())) {
                old.add(pool);
            }
        }
        other.removeIf(pool -> pool.getName().equals("Compressed Class Space")); // of metaspace
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            direct = pool.getName().equals("direct") ? pool : direct;
        }
        for (int i = 0; AllocatedBytes.hasTotal() && i < 200; i++) {
            AllocatedBytes.total(); // The JDK makes a class for the handle after 127 calls.
        }
        // Both show the wall clock as it was then, even if it was set later.
        this.counters = PerfData.ofThisJvm(ManagementFactory.getRuntimeMXBean().getStartTime());
    }

    /** Fills a row of {@link Tick#FIELDS}. */
    void read(long[] row) {
        process.refresh();
        collectors.refresh();
        readUsage(row);
        row[0] = clock.now();
        row[1] = AllocatedBytes.hasTotal() ? AllocatedBytes.total() : -1;
        row[7] = classes.getTotalLoadedClassCount();
        row[8] = classes.getUnloadedClassCount();
        row[11] = process.all();
        row[12] = row[3] + besideHeap;
        row[13] = counters == null ? UNKNOWN : micros(counters.count(PerfData.SAFEPOINT_SYNC));
        row[14] = process.files();
        row[15] = micros(collectors.run());
        row[16] = micros(collectors.waited());
        if (Math.abs(row[11] - residentThen) >= STEP) {
            measuring.run();
        }
        row[17] = unaccounted;
    }

    /**
     * Counts the heap until the process stays as large meanwhile, since a collector may be giving
     * back memory. Keeps the last measurement where that takes too long.
     */
    private void measure() {
        process.locate(memory.getHeapMemoryUsage().getCommitted());
        long resident = process.all();
        for (int i = 0; i < COUNTS; i++) {
            long heap = process.heap();
            process.refresh();
            if (Math.abs(process.all() - resident) < STEP) {
                residentThen = resident;
                unaccounted = heap < 0 || resident < 0 ? Tick.UNMEASURED : without(heap);
                return;
            }
            resident = process.all();
        }
    }

    /** Returns the resident memory without that of the heap, and what is known beside it. */
    private long without(long heap) {
        long kept = heap / OF_HEAP + mostOld / OF_OLD;
        return process.all() - Math.max(process.files(), 0) - besideHeap - heap - kept;
    }

    /** Reads what the JVM makes objects for. */
    private void readUsage(long[] row) {
        MemoryUsage heap = memory.getHeapMemoryUsage();
        MemoryUsage meta = metaspace == null ? null : metaspace.getUsage();
        long oldUsed = old.isEmpty() ? -1 : 0;
        for (int i = 0; i < old.size(); i++) {
            oldUsed += old.get(i).getUsage().getUsed();
        }
        row[2] = heap.getUsed();
        row[3] = heap.getCommitted();
        row[4] = oldUsed;
        mostOld = Math.max(mostOld, oldUsed);
        row[5] = meta == null ? -1 : meta.getUsed();
        row[6] = meta == null ? -1 : meta.getCommitted();
        row[9] = direct == null ? -1 : direct.getMemoryUsed();
        row[10] = direct == null ? -1 : direct.getCount();
        // Growth of the sampler's tables is no growth of the application.
        long beside = HeapSampler.status().memoryUsed() + threads.getThreadCount() * STACK;
        for (int i = 0; i < other.size(); i++) {
            beside += other.get(i).getUsage().getCommitted();
        }
        besideHeap = beside + Math.max(0, row[9]);
    }

    private static long micros(long nanos) {
        return nanos < 0 ? UNKNOWN : nanos / 1_000;
    }

    /** Returns how many pauses of G1 belonged to markings; −1 if the JVM does not count them. */
    long markingPauses() {
        return counters == null ? -1 : counters.count(PerfData.G1_MARKINGS);
    }

    @Override
    public void close() {
        process.close();
        if (counters != null) {
            counters.close();
        }
    }
}
