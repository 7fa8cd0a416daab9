// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Classifies the memory pools of the JVM by their names, because only the names distinguish the
 * generations. A heap of one pool has no generations and counts as old. Immutable.
 */
public final class Pools {

    /** All of metaspace; the pool of compressed classes is a part of it. */
    private static final String METASPACE = "Metaspace";

    static final long UNTOLD = -1;

    private final List<String> young = new ArrayList<>();
    private final List<String> old = new ArrayList<>();

    /**
     * Sorts pools.
     *
     * @param heap the names of the heap's pools
     */
    Pools(Collection<String> heap) {
        for (String name : heap) {
            (heap.size() == 1 || isOld(name) ? old : young).add(name);
        }
    }

    /** Returns the pools of this JVM. */
    public static Pools ofThisJvm() {
        return new Pools(
                ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getType() == MemoryType.HEAP)
                        .map(MemoryPoolMXBean::getName)
                        .toList());
    }

    /** {@code Tenured Gen}, {@code PS Old Gen}, {@code ZGC Old Generation} and the like. */
    private static boolean isOld(String name) {
        return name.contains("Old") || name.contains("Tenured");
    }

    boolean isOldPool(String name) {
        return old.contains(name);
    }

    boolean hasGenerations() {
        return !young.isEmpty() && !old.isEmpty();
    }

    /**
     * Returns whether the usage contains figures of the heap. That of the pauses of ZGC and
     * Shenandoah is all zeros (trap T2).
     */
    boolean isTold(Map<String, MemoryUsage> usage) {
        return committed(usage, young) + committed(usage, old) > 0;
    }

    long heapUsed(Map<String, MemoryUsage> usage) {
        return used(usage, young) + used(usage, old);
    }

    long heapCommitted(Map<String, MemoryUsage> usage) {
        return committed(usage, young) + committed(usage, old);
    }

    /** Returns the young generation in use, −1 where there are no generations. */
    long youngUsed(Map<String, MemoryUsage> usage) {
        return young.isEmpty() ? UNTOLD : used(usage, young);
    }

    /** Returns the old generation in use, −1 where there is none. */
    long oldUsed(Map<String, MemoryUsage> usage) {
        return old.isEmpty() ? UNTOLD : used(usage, old);
    }

    long metaspaceUsed(Map<String, MemoryUsage> usage) {
        MemoryUsage metaspace = usage.get(METASPACE);
        return metaspace == null ? UNTOLD : metaspace.getUsed();
    }

    private static long used(Map<String, MemoryUsage> usage, List<String> pools) {
        long sum = 0;
        for (String name : pools) {
            MemoryUsage pool = usage.get(name);
            sum += pool == null ? 0 : pool.getUsed();
        }
        return sum;
    }

    private static long committed(Map<String, MemoryUsage> usage, List<String> pools) {
        long sum = 0;
        for (String name : pools) {
            MemoryUsage pool = usage.get(name);
            sum += pool == null ? 0 : pool.getCommitted();
        }
        return sum;
    }
}
