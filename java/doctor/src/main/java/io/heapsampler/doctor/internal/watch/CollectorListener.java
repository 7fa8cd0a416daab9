// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import io.heapsampler.doctor.internal.timeline.BeanCounts;
import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.VmClock;
import io.heapsampler.internal.shared.GcNotifications;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the notifications of the collectors, on a thread of the JVM. It also counts earlier
 * collections, and collections without a notification. Safe for use by many threads.
 */
public final class CollectorListener implements AutoCloseable {

    /** The bean of one collector, and its counts when the watching began. */
    private static final class Watched {
        final GarbageCollectorMXBean bean;
        final String name;
        final long earlier;
        final long earlierMillis;

        /** Guarded by the listener. */
        long heard;

        /** The count of the bean at the end; below 0 until then. Guarded by the listener. */
        long last = -1;

        Watched(GarbageCollectorMXBean bean) {
            this.bean = bean;
            this.name = bean.getName();
            this.earlier = Math.max(0, bean.getCollectionCount());
            this.earlierMillis = Math.max(0, bean.getCollectionTime());
        }

        BeanCounts counts() {
            long now = last < 0 ? bean.getCollectionCount() : last;
            long missed = now - earlier - heard;
            return new BeanCounts(name, earlier, earlierMillis, Math.max(0, missed));
        }
    }

    /** This many collections without success are no coincidence. */
    private static final int STORM = 6;

    private final CollectionParser parser;
    private final VmClock clock;
    private final History history;
    private final Consumer<GcEvent> hears;
    private final List<Watched> watched = new ArrayList<>();

    /** Written by the thread of the JVM only. */
    private volatile int lastResorts;

    /** Guarded by this. */
    private @Nullable GcNotifications subscription;

    /** Guarded by this. */
    private boolean isClosed;

    /**
     * Prepares to listen.
     *
     * @param pools the memory pools of this JVM
     * @param clock dates the collections
     * @param history receives the collections
     * @param hears also receives each collection, on the notification thread of the JVM
     */
    public CollectorListener(Pools pools, VmClock clock, History history, Consumer<GcEvent> hears) {
        this.parser = new CollectionParser(pools);
        this.clock = clock;
        this.history = history;
        this.hears = hears;
    }

    /** Begins to listen to each collector of this JVM. */
    public synchronized void listen() {
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            watched.add(new Watched(bean));
        }
        subscribe();
    }

    /**
     * Unsubscribes while metaspace is full, and subscribes again when it has room. The JVM needs
     * metaspace to make a notification. If metaspace is full, it collects to free some, and then
     * has the next notification to make. So it would collect indefinitely, even if the application
     * has stopped.
     *
     * @param isFull whether metaspace has no room
     */
    public synchronized void metaspace(boolean isFull) {
        if (isFull) {
            unsubscribe();
        } else if (subscription == null && !isClosed) {
            subscribe();
        }
    }

    private void subscribe() {
        subscription =
                GcNotifications.subscribe(
                        watched.stream().map(each -> each.bean).toList(), this::hear);
    }

    private void unsubscribe() {
        GcNotifications open = subscription;
        if (open != null) {
            open.close();
            subscription = null;
        }
    }

    /** Returns whether it is subscribed. */
    synchronized boolean isListening() {
        return subscription != null;
    }

    /** {@link #counts} reports collections as missed if there was no memory for them. */
    private void hear(GarbageCollectionNotificationInfo info) {
        GcInfo gc = info.getGcInfo();
        GcEvent collection =
                parser.parse(
                        history.name(info.getGcName()),
                        history.name(info.getGcAction()),
                        history.name(info.getGcCause()),
                        clock.at(gc.getStartTime(), gc.getDuration()),
                        (double) gc.getDuration(),
                        gc.getMemoryUsageBeforeGc(),
                        gc.getMemoryUsageAfterGc());
        history.add(collection);
        hears.accept(collection);
        if (collection.cause().equals(Causes.LAST_RESORT)) {
            int before = lastResorts;
            lastResorts = before + 1;
        }
        heard(collection.bean());
    }

    /**
     * Returns whether the JVM took the last resort, or a bean missed collections, several times.
     */
    public synchronized boolean isStorm() {
        if (lastResorts >= STORM) {
            return true;
        }
        for (Watched each : watched) { // No lambda: there may be no room for one.
            if (each.counts().missed() >= STORM) {
                return true;
            }
        }
        return false;
    }

    private synchronized void heard(String bean) {
        for (Watched each : watched) {
            if (each.name.equals(bean)) {
                each.heard++;
            }
        }
    }

    /** Returns the collections without a notification: earlier ones (trap T7), and lost ones. */
    public synchronized List<BeanCounts> counts() {
        return watched.stream().map(Watched::counts).toList();
    }

    /** Stops listening. The counts stay as they are now. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        unsubscribe();
        for (Watched each : watched) {
            each.last = Math.max(0, each.bean.getCollectionCount());
        }
    }
}
