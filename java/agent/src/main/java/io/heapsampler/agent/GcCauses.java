// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.heapsampler.internal.shared.GcNotifications;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The collectors and causes of the last collections. Requires the module {@code jdk.management}.
 * The JVM reports a collection on a thread of its own, shortly after it.
 */
final class GcCauses implements AutoCloseable {

    /** The maximum number of different ones between two calls; there are few. */
    private static final int MOST = 8;

    private final GcNotifications notifications;

    /** Guarded by this. */
    private final Set<String> seen = new LinkedHashSet<>();

    /** Begins to listen. ZGC and Shenandoah also have beans that count pauses instead. */
    GcCauses() {
        notifications =
                GcNotifications.subscribe(
                        ManagementFactory.getGarbageCollectorMXBeans().stream()
                                .filter(bean -> !bean.getName().endsWith("Pauses"))
                                .toList(),
                        this::add);
    }

    private synchronized void add(GarbageCollectionNotificationInfo info) {
        if (seen.size() < MOST) {
            seen.add((info.getGcName() + ":" + info.getGcCause()).replace(' ', '_'));
        }
    }

    /** Returns the causes since the last call, as {@code collector:cause,...}. */
    synchronized String drain() {
        String all = seen.isEmpty() ? "unknown" : String.join(",", seen);
        seen.clear();
        return all;
    }

    @Override
    public void close() {
        notifications.close();
    }
}
