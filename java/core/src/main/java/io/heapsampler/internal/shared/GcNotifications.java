// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.util.List;
import java.util.function.Consumer;
import javax.management.ListenerNotFoundException;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * A subscription to the JVM's notifications about finished collections. Requires the module {@code
 * jdk.management}.
 *
 * <p>The JVM notifies on a thread of its own, shortly after a collection. Close the subscription to
 * end it.
 */
public final class GcNotifications implements AutoCloseable {

    private static final String TYPE =
            GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION;

    private final List<GarbageCollectorMXBean> collectors;
    private final NotificationListener listener;

    private GcNotifications(
            List<GarbageCollectorMXBean> collectors, NotificationListener listener) {
        this.collectors = collectors;
        this.listener = listener;
    }

    /**
     * Subscribes.
     *
     * @param collectors whose collections to report
     * @param receiver receives each notification, on a thread of the JVM. What it throws is
     *     discarded, because otherwise other listeners of the bean would miss the notification.
     */
    public static GcNotifications subscribe(
            List<GarbageCollectorMXBean> collectors,
            Consumer<GarbageCollectionNotificationInfo> receiver) {
        NotificationListener listener =
                (notification, handback) -> {
                    try {
                        if (notification.getType().equals(TYPE)
                                && notification.getUserData() instanceof CompositeData data) {
                            receiver.accept(GarbageCollectionNotificationInfo.from(data));
                        }
                    } catch (RuntimeException | Error e) {
                        // Memory was short, perhaps.
                    }
                };
        for (GarbageCollectorMXBean each : collectors) {
            if (each instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener(listener, null, null);
            }
        }
        return new GcNotifications(collectors, listener);
    }

    /** Ends the subscription. */
    @Override
    public void close() {
        for (GarbageCollectorMXBean each : collectors) {
            if (each instanceof NotificationEmitter emitter) {
                try {
                    emitter.removeNotificationListener(listener);
                } catch (ListenerNotFoundException e) {
                    // It was closed before.
                }
            }
        }
    }
}
