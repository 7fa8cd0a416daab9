// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import io.heapsampler.internal.shared.GcNotifications;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the notifications of the collectors, on a thread of the JVM. It also counts collections
 * without a notification. Safe for use by many threads.
 */
final class CollectorListener implements AutoCloseable {

    /** This many collections without success are no coincidence. */
    private static final int STORM = 6;

    private final CollectionParser parser;
    private final VmClock clock;
    private final History history;
    private final Consumer<GcEvent> hears;
    private final List<GarbageCollectorMXBean> beans =
            ManagementFactory.getGarbageCollectorMXBeans();

    // Guarded by this.
    private long earlier;
    private long heard;
    private long lastResorts;

    /** Collections in vain when metaspace last had room. */
    private long calm;

    private @Nullable GcNotifications subscription;
    private boolean isClosed;

    /** With what also receives each collection, on the notification thread of the JVM. */
    CollectorListener(VmClock clock, History history, Consumer<GcEvent> hears) {
        this.parser = new CollectionParser(CollectionParser.heapPools());
        this.clock = clock;
        this.history = history;
        this.hears = hears;
    }

    synchronized void listen() {
        earlier = counted();
        subscription = GcNotifications.subscribe(beans, this::hear);
    }

    /**
     * Unsubscribes if collections are in vain while metaspace is full, and subscribes again when it
     * has room. The JVM needs metaspace to make a notification. If metaspace is full, it collects
     * to free some, and then has the next notification to make. So it would collect indefinitely,
     * even if the application has stopped.
     */
    synchronized void metaspace(boolean isFull) {
        long inVain = lastResorts + missed();
        calm = isFull ? calm : inVain;
        boolean isStorm = inVain - calm >= STORM;
        if (isStorm) {
            unsubscribe();
        } else if (subscription == null && !isClosed) {
            subscription = GcNotifications.subscribe(beans, this::hear);
        }
    }

    private void unsubscribe() {
        if (subscription != null) {
            subscription.close();
            subscription = null;
        }
    }

    synchronized boolean isListening() {
        return subscription != null;
    }

    /** Those for which there is no memory are {@link #missed}. */
    private void hear(GarbageCollectionNotificationInfo info) {
        GcInfo gc = info.getGcInfo();
        GcEvent collection = // The JVM makes each name anew.
                parser.parse(
                        info.getGcName().intern(),
                        info.getGcAction().intern(),
                        info.getGcCause().intern(),
                        clock.at(gc.getStartTime(), gc.getDuration()),
                        (double) gc.getDuration(),
                        gc.getMemoryUsageBeforeGc(),
                        gc.getMemoryUsageAfterGc());
        history.add(collection);
        hears.accept(collection);
        synchronized (this) {
            lastResorts += collection.cause().equals(Causes.LAST_RESORT) ? 1 : 0;
            heard++;
        }
    }

    private long counted() {
        long count = 0;
        for (GarbageCollectorMXBean bean : beans) { // No lambda: there may be no room for one.
            count += Math.max(0, bean.getCollectionCount());
        }
        return count;
    }

    /** Collections without a notification since the beginning; may count one that just ended. */
    synchronized long missed() {
        return Math.max(0, counted() - earlier - heard);
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        unsubscribe();
    }
}
