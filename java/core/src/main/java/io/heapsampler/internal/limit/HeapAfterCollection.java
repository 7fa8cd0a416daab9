// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.limit;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How full the heap was after the last collections. Only reads what the JVM has noted of them; sets
 * no threshold. A reading takes some microseconds. For one thread.
 *
 * <p>The figure is the sum of what each pool had in use after the last collection of that pool,
 * against {@code -Xmx}. Where the old generation has a limit of its own, as in Serial and Parallel,
 * its share of that counts if it is larger: each collection is a full one from then on.
 *
 * <p>Some collectors note what the old generation has in use while much of it is garbage: G1 frees
 * that over several collections after it was marked, generational ZGC in the next major one. There
 * a large figure is certain only when it has lasted for long enough. G1 before JDK 20 notes nothing
 * after it has marked, so there the figure of the moment takes that place.
 */
public final class HeapAfterCollection {

    /** G1 spreads the freeing over as many by default (G1MixedGCCountTarget). */
    private static final int SEVERAL = 8;

    private static final String G1_OLD = "G1 Old Gen";
    private static final String G1_MARKING = "G1 Concurrent GC";

    /**
     * Which collections free the garbage of an old generation.
     *
     * @param all the name of the bean whose collections free all of it at once
     * @param some the name of the bean of which {@link #SEVERAL} free it
     */
    private record Freeing(String all, String some) {}

    private static final Map<String, Freeing> LATE =
            Map.of(
                    G1_OLD,
                    new Freeing("G1 Old Generation", "G1 Young Generation"),
                    "ZGC Old Generation",
                    new Freeing("ZGC Major Cycles", ""),
                    "Shenandoah Old Gen",
                    new Freeing("", "Shenandoah Cycles"));

    private final List<MemoryPoolMXBean> pools;
    private final List<GarbageCollectorMXBean> collectors;
    private final LongSupplier max;
    private final LongSupplier now;
    private final @Nullable Freeing freeing;
    private final boolean hidesMarking;

    /** Collections that free all, when the heap was last found below the share. */
    private long allBefore;

    /** Collections that free some, when it was first found above; −1 while it is below. */
    private long someBefore = -1;

    HeapAfterCollection(
            List<MemoryPoolMXBean> pools,
            List<GarbageCollectorMXBean> collectors,
            LongSupplier max,
            LongSupplier now) {
        this.pools = pools.stream().filter(pool -> pool.getType() == MemoryType.HEAP).toList();
        this.collectors = collectors;
        this.max = max;
        this.now = now;
        this.freeing =
                this.pools.stream()
                        .map(pool -> LATE.get(pool.getName()))
                        .filter(each -> each != null)
                        .findFirst()
                        .orElse(null);
        this.hidesMarking =
                collectors.stream().noneMatch(each -> each.getName().equals(G1_MARKING));
        this.allBefore = freeing == null ? 0 : count(freeing.all());
    }

    /** Returns the heap of this JVM. */
    public static HeapAfterCollection ofThisJvm() {
        return new HeapAfterCollection(
                ManagementFactory.getMemoryPoolMXBeans(),
                ManagementFactory.getGarbageCollectorMXBeans(),
                Runtime.getRuntime()::maxMemory,
                () -> Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    }

    /**
     * Reads the figure. Call it about once a second: it learns what lasts.
     *
     * @param share from which on the figure must have lasted to be certain
     * @return null if the heap has no limit
     */
    public @Nullable MemoryUse read(double share) {
        long limit = max.getAsLong();
        if (limit <= 0 || limit == Long.MAX_VALUE) {
            return null;
        }
        MemoryUse use = fullest(limit);
        // ZGC notes a full heap where threads allocate during its cycles.
        long left = Math.max(use.left(), limit - now.getAsLong());
        return use.with(left, use.share() < share ? isBelow() : isLasting());
    }

    private MemoryUse fullest(long limit) {
        long sum = 0;
        MemoryUse old = null;
        for (MemoryPoolMXBean pool : pools) {
            MemoryUsage usage = afterCollection(pool);
            if (usage != null) {
                sum += usage.getUsed();
                long own = usage.getMax();
                // Only pools of old objects have such a threshold.
                if (own > 0 && own < limit && pool.isUsageThresholdSupported()) {
                    old = MemoryUse.of("the old generation", usage.getUsed(), own);
                }
            }
        }
        MemoryUse all = MemoryUse.of("the heap", sum, limit);
        return old == null || old.share() < all.share() ? all : old.with(all.left(), true);
    }

    private @Nullable MemoryUsage afterCollection(MemoryPoolMXBean pool) {
        return hidesMarking && pool.getName().equals(G1_OLD)
                ? pool.getUsage()
                : pool.getCollectionUsage();
    }

    private boolean isBelow() {
        if (freeing != null) {
            allBefore = count(freeing.all());
            someBefore = -1;
        }
        return true;
    }

    private boolean isLasting() {
        if (freeing == null) {
            return true;
        }
        long some = count(freeing.some());
        if (someBefore < 0) {
            someBefore = some;
        }
        return count(freeing.all()) > allBefore || some - someBefore >= SEVERAL;
    }

    private long count(String collector) {
        long count = 0;
        for (GarbageCollectorMXBean each : collectors) {
            count += each.getName().equals(collector) ? each.getCollectionCount() : 0;
        }
        return count;
    }
}
