// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import io.heapsampler.GarbageCollector;
import java.util.Map;

/**
 * The settings of the JVM that rules need. Sizes are in bytes, and −1 if the JVM has no such
 * setting.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param feature the feature release of the JDK, such as 17
 * @param collector the collector
 * @param maxHeap the maximum size of the heap
 * @param initialHeap the initial size of the heap
 * @param maxYoung the maximum size of the young generation; −1 if the collector chooses it
 * @param regionSize the size of a region of G1
 * @param maxMetaspace the limit of metaspace; {@link Long#MAX_VALUE} if there is none
 * @param maxDirect the limit of direct buffers; that of the heap if none was set
 * @param flags other flags by name, as after {@code -XX}: {@code DisableExplicitGC}, {@code
 *     ExplicitGCInvokesConcurrent}, {@code AlwaysPreTouch}, {@code MaxTenuringThreshold} and so on
 */
public record JvmSettings(
        int feature,
        GarbageCollector collector,
        long maxHeap,
        long initialHeap,
        long maxYoung,
        long regionSize,
        long maxMetaspace,
        long maxDirect,
        Map<String, String> flags) {
    /**
     * Copies the flags.
     *
     * @param feature the feature release
     * @param collector the collector
     * @param maxHeap the most that the heap can become
     * @param initialHeap the heap at the beginning
     * @param maxYoung the most that the young generation may become
     * @param regionSize the size of a region of G1
     * @param maxMetaspace the limit of metaspace
     * @param maxDirect the limit of direct buffers
     * @param flags other flags
     */
    public JvmSettings {
        flags = Map.copyOf(flags);
    }

    /**
     * Returns whether a boolean flag is on.
     *
     * @param name without {@code -XX:+}
     * @return false if it is off or there is none of that name
     */
    public boolean isOn(String name) {
        return "true".equals(flags.get(name));
    }
}
