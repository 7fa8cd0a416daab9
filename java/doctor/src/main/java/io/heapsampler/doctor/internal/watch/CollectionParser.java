// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static io.heapsampler.doctor.internal.watch.Pools.UNTOLD;

import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import java.lang.management.MemoryUsage;
import java.util.Map;

/**
 * Parses the notifications of collectors. It knows the names of the JDKs 17 to 25. A collection
 * with other names becomes {@link CollectionKind#UNKNOWN} and keeps its names. Immutable.
 *
 * <table>
 *   <caption>Names of beans, and what the duration is</caption>
 *   <tr><td>Copy, PS Scavenge, G1 Young Generation<td>a pause; G1's mixed ones too
 *   <tr><td>MarkSweepCompact, PS MarkSweep, G1 Old Generation<td>a pause for the whole heap
 *   <tr><td>G1 Concurrent GC (JDK 20 and later)<td>remark and cleanup, pauses
 *   <tr><td>ZGC … Cycles, Shenandoah Cycles<td>concurrent work, never a pause
 *   <tr><td>ZGC … Pauses<td>pauses in a cycle
 *   <tr><td>Shenandoah Pauses<td>the same; the action is the phase
 * </table>
 */
final class CollectionParser {

    private final Pools pools;

    CollectionParser(Pools pools) {
        this.pools = pools;
    }

    /**
     * Reads a notification.
     *
     * @param bean the name of the bean
     * @param action the action
     * @param cause the cause
     * @param atMillis when it began, milliseconds since 1970
     * @param durationMillis its duration
     * @param before the memory pools before
     * @param after the memory pools after
     */
    GcEvent parse(
            String bean,
            String action,
            String cause,
            long atMillis,
            double durationMillis,
            Map<String, MemoryUsage> before,
            Map<String, MemoryUsage> after) {
        boolean told = pools.isTold(after);
        long oldBefore = told ? pools.oldUsed(before) : UNTOLD;
        long oldAfter = told ? pools.oldUsed(after) : UNTOLD;
        return new GcEvent(
                atMillis,
                durationMillis,
                kind(bean, action, isWhole(cause) || oldAfter < oldBefore),
                bean,
                action,
                cause,
                told ? pools.heapUsed(before) : UNTOLD,
                told ? pools.heapUsed(after) : UNTOLD,
                told ? pools.heapCommitted(after) : UNTOLD,
                told ? pools.youngUsed(after) : UNTOLD,
                oldBefore,
                oldAfter,
                told ? pools.metaspaceUsed(before) : UNTOLD,
                told ? pools.metaspaceUsed(after) : UNTOLD);
    }

    private CollectionKind kind(String bean, String action, boolean old) {
        return switch (bean) {
            case "Copy", "PS Scavenge", "G1 Young Generation" -> CollectionKind.YOUNG_PAUSE;
            case "MarkSweepCompact", "PS MarkSweep", "G1 Old Generation" ->
                    CollectionKind.FULL_PAUSE;
            case "G1 Concurrent GC" ->
                    action.endsWith("pause") ? CollectionKind.PHASE_PAUSE : CollectionKind.UNKNOWN;
            case "ZGC Cycles", "ZGC Major Cycles" -> CollectionKind.OLD_CYCLE;
            case "ZGC Minor Cycles" -> CollectionKind.YOUNG_CYCLE;
            case "ZGC Pauses", "ZGC Major Pauses", "ZGC Minor Pauses" -> CollectionKind.PHASE_PAUSE;
            case "Shenandoah Cycles" -> shenandoahCycle(old);
            case "Shenandoah Pauses" -> shenandoahPause(action);
            default -> CollectionKind.UNKNOWN;
        };
    }

    /**
     * With generations, one bean reports all cycles. A cycle is old if it freed memory of the old
     * generation, or if it is known to collect the whole heap.
     */
    private CollectionKind shenandoahCycle(boolean old) {
        return pools.hasGenerations() && !old
                ? CollectionKind.YOUNG_CYCLE
                : CollectionKind.OLD_CYCLE;
    }

    private static boolean isWhole(String cause) {
        return Causes.isExplicit(cause) || Causes.isTool(cause) || Causes.isMetadata(cause);
    }

    private static CollectionKind shenandoahPause(String action) {
        if (action.startsWith("Degenerated")) {
            return CollectionKind.DEGENERATED_PAUSE;
        }
        return action.startsWith("Full") ? CollectionKind.FULL_PAUSE : CollectionKind.PHASE_PAUSE;
    }
}
