// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses the notifications of collectors. It knows the names of the JDKs 17 to 25. A collection
 * with other names becomes {@link CollectionKind#UNKNOWN} and keeps its names. Immutable.
 *
 * <p>The duration is that of a pause, except for those of {@code … Cycles}, which are concurrent
 * work. The action of {@code Shenandoah Pauses} is the phase.
 */
final class CollectionParser {

    static final String METASPACE = "Metaspace";

    private static final long UNTOLD = -1;

    private final List<String> young = new ArrayList<>();
    private final List<String> old = new ArrayList<>();

    CollectionParser(List<String> pools) {
        for (String name : pools) {
            (isOld(name, pools.size()) ? old : young).add(name);
        }
    }

    static List<String> heapPools() {
        List<String> names = new ArrayList<>();
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP) {
                names.add(pool.getName());
            }
        }
        return names;
    }

    /**
     * Returns whether a pool of the heap is the old generation, such as {@code Tenured Gen} and
     * {@code ZGC Old Generation}. A heap of one pool has no generations and counts as old.
     */
    static boolean isOld(String pool, int pools) {
        return pools == 1 || pool.contains("Old") || pool.contains("Tenured");
    }

    GcEvent parse(
            String bean,
            String action,
            String cause,
            long atMillis,
            double durationMillis,
            Map<String, MemoryUsage> before,
            Map<String, MemoryUsage> after) {
        long committed = sum(after, young, true) + sum(after, old, true);
        // The usage of the pauses of ZGC and Shenandoah is all zeros (trap T2).
        boolean told = committed > 0;
        boolean hasYoung = told && !young.isEmpty();
        boolean hasOld = told && !old.isEmpty();
        long oldBefore = hasOld ? sum(before, old, false) : UNTOLD;
        long oldAfter = hasOld ? sum(after, old, false) : UNTOLD;
        return new GcEvent(
                atMillis,
                durationMillis,
                kind(bean, action, isWhole(cause) || oldAfter < oldBefore),
                bean,
                action,
                cause,
                told ? sum(before, young, false) + sum(before, old, false) : UNTOLD,
                told ? sum(after, young, false) + sum(after, old, false) : UNTOLD,
                told ? committed : UNTOLD,
                hasYoung ? sum(after, young, false) : UNTOLD,
                oldBefore,
                oldAfter,
                told ? used(after.get(METASPACE)) : UNTOLD);
    }

    private static long sum(
            Map<String, MemoryUsage> usage, List<String> pools, boolean isCommitted) {
        long sum = 0;
        for (String name : pools) {
            MemoryUsage pool = usage.get(name);
            sum += pool == null ? 0 : isCommitted ? pool.getCommitted() : pool.getUsed();
        }
        return sum;
    }

    private static long used(@Nullable MemoryUsage pool) {
        return pool == null ? UNTOLD : pool.getUsed();
    }

    private CollectionKind kind(String bean, String action, boolean isOld) {
        return switch (bean) {
            case "Copy", "PS Scavenge", "G1 Young Generation" -> CollectionKind.YOUNG_PAUSE;
            case "MarkSweepCompact", "PS MarkSweep", "G1 Old Generation" ->
                    CollectionKind.FULL_PAUSE;
            case "G1 Concurrent GC" -> // of JDK 20 and later: remark and cleanup
                    action.endsWith("pause") ? CollectionKind.PHASE_PAUSE : CollectionKind.UNKNOWN;
            case "ZGC Cycles", "ZGC Major Cycles" -> CollectionKind.OLD_CYCLE;
            case "ZGC Minor Cycles" -> CollectionKind.YOUNG_CYCLE;
            case "ZGC Pauses", "ZGC Major Pauses", "ZGC Minor Pauses" -> CollectionKind.PHASE_PAUSE;
            // With generations, one bean reports all cycles.
            case "Shenandoah Cycles" ->
                    young.isEmpty() || old.isEmpty() || isOld
                            ? CollectionKind.OLD_CYCLE
                            : CollectionKind.YOUNG_CYCLE;
            case "Shenandoah Pauses" ->
                    action.startsWith("Degenerated")
                            ? CollectionKind.DEGENERATED_PAUSE
                            : action.startsWith("Full")
                                    ? CollectionKind.FULL_PAUSE
                                    : CollectionKind.PHASE_PAUSE;
            default -> CollectionKind.UNKNOWN;
        };
    }

    private static boolean isWhole(String cause) {
        return Causes.isExplicit(cause) || Causes.isTool(cause) || Causes.isMetadata(cause);
    }
}
