// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * What the JVM says about its collections: which collector, and why. Needs the module {@code
 * jdk.management}. The JVM tells it in a thread of its own, a little after the fact.
 */
final class GcCauses implements NotificationListener, AutoCloseable {

    /** Different ones between two looks; there are not many. */
    private static final int MOST = 8;

    /** Guarded by this. */
    private final Set<String> seen = new LinkedHashSet<>();

    private GcCauses() {}

    /** Begins to listen. */
    static GcCauses listening() {
        GcCauses causes = new GcCauses();
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (isOfInterest(bean) && bean instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener(causes, null, null);
            }
        }
        return causes;
    }

    /** ZGC and Shenandoah have beans that count pauses instead of collections. */
    private static boolean isOfInterest(GarbageCollectorMXBean bean) {
        return !bean.getName().endsWith("Pauses");
    }

    @Override
    public void handleNotification(Notification notification, Object handback) {
        if (notification.getUserData() instanceof CompositeData data) {
            GarbageCollectionNotificationInfo info = GarbageCollectionNotificationInfo.from(data);
            add(info.getGcName() + ":" + info.getGcCause());
        }
    }

    private synchronized void add(String text) {
        if (seen.size() < MOST) {
            seen.add(text.replace(' ', '_'));
        }
    }

    /** Returns what was heard since the last call, as {@code collector:cause,...}. */
    synchronized String drain() {
        String all = seen.isEmpty() ? "unknown" : String.join(",", seen);
        seen.clear();
        return all;
    }

    @Override
    public void close() {
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (isOfInterest(bean) && bean instanceof NotificationEmitter emitter) {
                try {
                    emitter.removeNotificationListener(this);
                } catch (ListenerNotFoundException e) {
                    // It was never there, which is as good.
                }
            }
        }
    }
}
