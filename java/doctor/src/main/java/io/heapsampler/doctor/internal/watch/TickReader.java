// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import com.sun.management.OperatingSystemMXBean;
import io.heapsampler.HeapSampler;
import io.heapsampler.doctor.internal.timeline.BareTick;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.VmClock;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.management.ThreadMXBean;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the state of this JVM. What it needs is looked up when it is made: a look makes a few small
 * objects, the usage of each memory pool and the tick, and loads nothing. Not safe for use by many
 * threads.
 */
public final class TickReader implements AutoCloseable {

    /**
     * What a Java thread's stack usually touches; all that is reserved for it is never resident.
     */
    private static final long STACK = 128 * 1024;

    private final VmClock clock;
    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final @Nullable OperatingSystemMXBean system;
    private final MemoryPoolMXBean[] other;
    private final MemoryPoolMXBean[] old;
    private final @Nullable MemoryPoolMXBean metaspace;
    private final @Nullable BufferPoolMXBean direct;
    private final @Nullable BufferPoolMXBean mapped;
    private final AllAllocated allocated = new AllAllocated();
    private final ProcessMemory process = new ProcessMemory();
    private final @Nullable PerfData counters;
    private final CollectorThreads collectors = new CollectorThreads();
    private final BareTick bare = new BareTick();

    public TickReader(Pools pools, VmClock clock) {
        this.clock = clock;
        List<MemoryPoolMXBean> all = ManagementFactory.getMemoryPoolMXBeans();
        this.other =
                all.stream()
                        .filter(pool -> pool.getType() != MemoryType.HEAP)
                        .filter(pool -> !pool.getName().equals("Compressed Class Space"))
                        .toArray(MemoryPoolMXBean[]::new);
        this.old =
                all.stream()
                        .filter(pool -> pools.isOldPool(pool.getName()))
                        .toArray(MemoryPoolMXBean[]::new);
        this.metaspace =
                all.stream()
                        .filter(pool -> pool.getName().equals("Metaspace"))
                        .findFirst()
                        .orElse(null);
        this.direct = buffers("direct");
        this.mapped = buffers("mapped");
        this.system =
                ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean bean
                        ? bean
                        : null;
        // Both show the wall clock as it was then, even if it was set later.
        this.counters = PerfData.ofThisJvm(ManagementFactory.getRuntimeMXBean().getStartTime());
    }

    private static @Nullable BufferPoolMXBean buffers(String name) {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** Returns the state now. */
    public Tick read() {
        process.refresh();
        collectors.refresh();
        MemoryUsage heap = memory.getHeapMemoryUsage();
        MemoryUsage meta = metaspace == null ? null : metaspace.getUsage();
        long directUsed = direct == null ? -1 : direct.getMemoryUsed();
        return new Tick(
                clock.now(),
                allocated.now(),
                heap.getUsed(),
                heap.getCommitted(),
                oldUsed(),
                meta == null ? -1 : meta.getUsed(),
                meta == null ? -1 : meta.getCommitted(),
                classes.getTotalLoadedClassCount(),
                classes.getUnloadedClassCount(),
                directUsed,
                direct == null ? -1 : direct.getCount(),
                mapped == null ? -1 : mapped.getMemoryUsed(),
                process.resident(),
                heap.getCommitted() + others() + Math.max(0, directUsed) + stacks() + sampler(),
                memory.getObjectPendingFinalizationCount(),
                millis(PerfData.SAFEPOINT),
                millis(PerfData.SAFEPOINT_SYNC),
                cpuMillis(),
                process.residentFile(),
                gcCpuMillis(),
                collectors.waitedMillis());
    }

    /** Reads the fields that need no new object; returns the same object each time. */
    public BareTick readBare() {
        process.refresh();
        Runtime heap = Runtime.getRuntime();
        bare.atMillis = clock.now();
        bare.allocated = allocated.nowWithoutRoom();
        bare.heapCommitted = heap.totalMemory();
        bare.heapUsed = Math.max(0, bare.heapCommitted - heap.freeMemory());
        bare.classesLoaded = classes.getTotalLoadedClassCount();
        bare.classesUnloaded = classes.getUnloadedClassCount();
        bare.resident = process.resident();
        bare.safepointMillis = millis(PerfData.SAFEPOINT);
        bare.safepointSyncMillis = millis(PerfData.SAFEPOINT_SYNC);
        bare.cpuMillis = cpuMillis();
        bare.residentFile = process.residentFile();
        bare.gcCpuMillis = gcCpuMillis();
        bare.gcWaitMillis = collectors.waitedMillis();
        return bare;
    }

    /** Growth of the sampler's tables is no growth of the application. */
    private static long sampler() {
        return HeapSampler.status().memoryUsed();
    }

    /** Returns how many pauses of G1 belonged to markings; −1 if the JVM does not count them. */
    public long markingPauses() {
        return counters == null ? -1 : counters.count(PerfData.G1_MARKINGS);
    }

    private double millis(String counter) {
        return counters == null ? -1 : counters.millis(counter);
    }

    private double cpuMillis() {
        return system == null ? -1 : system.getProcessCpuTime() / 1e6;
    }

    private double gcCpuMillis() {
        double run = collectors.runMillis();
        return run >= 0 || counters == null ? run : counters.nanosAsMillis(PerfData.GC_CPU);
    }

    private long oldUsed() {
        long sum = old.length == 0 ? -1 : 0;
        for (MemoryPoolMXBean pool : old) {
            sum += pool.getUsage().getUsed();
        }
        return sum;
    }

    private long others() {
        long sum = 0;
        for (MemoryPoolMXBean pool : other) {
            sum += pool.getUsage().getCommitted();
        }
        return sum;
    }

    private long stacks() {
        return threads.getThreadCount() * STACK;
    }

    @Override
    public void close() {
        process.close();
        if (counters != null) {
            counters.close();
        }
    }
}
