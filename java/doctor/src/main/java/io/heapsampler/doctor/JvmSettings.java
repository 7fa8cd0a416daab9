// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.util.Map;

/**
 * The settings of the JVM that rules need. Sizes are in bytes, and −1 if the JVM has no such
 * setting.
 *
 * @param feature the feature release of the JDK, such as 17
 * @param maxYoung the maximum size of the young generation; −1 if the collector chooses it
 * @param regionSize the size of a region of G1
 * @param maxMetaspace {@link Long#MAX_VALUE} if there is no limit
 * @param maxDirect the limit of direct buffers; that of the heap if none was set
 * @param flags other flags by name, without {@code -XX}
 */
record JvmSettings(
        int feature,
        GarbageCollector collector,
        long maxHeap,
        long initialHeap,
        long maxYoung,
        long regionSize,
        long maxMetaspace,
        long maxDirect,
        Map<String, String> flags) {

    private static final double NEARLY_FULL = 0.85;

    JvmSettings {
        flags = Map.copyOf(flags);
    }

    /** The most that the old generation can become, or a heap without generations; in bytes. */
    double maxOld() {
        return (double) maxHeap - (hasGenerations() ? Math.max(maxYoung, 0) : 0);
    }

    boolean hasGenerations() {
        return switch (collector) {
            case SERIAL, PARALLEL, G1, Z_GENERATIONAL, SHENANDOAH_GENERATIONAL -> true;
            default -> false;
        };
    }

    /** Whether an old generation with these live bytes has hardly any room; see {@code doc}. */
    boolean isNearlyFull(double oldLive) {
        return maxOld() > 0 && oldLive >= NEARLY_FULL * maxOld();
    }

    /** Returns whether a boolean flag is on; false if there is none of that name. */
    boolean isOn(String name) {
        return "true".equals(flags.get(name));
    }
}
