// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All that was watched, in bounded memory: 3.6 MiB when it is full. Collections of the old
 * generation are kept apart, so that a storm of young ones does not wash them away; so is each type
 * of event. All times are those of {@link VmClock}. Safe for use by many threads.
 */
public final class History {

    private static final int YOUNG = 8_192;
    static final int OLD = 2_048;
    static final int EVENTS = 512;

    /** The types of events are few; more than these are not kept. */
    private static final int TYPES = 24;

    /** Different names of beans, actions and causes; the JVM makes each anew. */
    private static final int NAMES = 256;

    private final TickStore ticks = new TickStore();
    private final Ring<GcEvent> young = new Ring<>(YOUNG);
    private final Ring<GcEvent> old = new Ring<>(OLD);
    private final Map<String, Ring<JvmEvent>> events = new HashMap<>();
    private final Map<String, String> names = new HashMap<>();

    /** Old collections and degenerations so far. */
    private long oldAdded;

    public synchronized void add(Tick tick) {
        ticks.add(tick);
    }

    /**
     * Adds a bare tick if there was no room for a full one: its missing fields keep their values.
     *
     * @return false if there is none before it, and so nothing is added
     */
    public synchronized boolean add(BareTick tick) {
        return ticks.add(tick);
    }

    public synchronized void add(GcEvent collection) {
        if (collection.kind().isOld()) {
            old.add(collection);
            oldAdded++;
        } else {
            young.add(collection);
        }
    }

    public synchronized void add(JvmEvent event) {
        Ring<JvmEvent> ring = events.get(event.type());
        if (ring == null && events.size() < TYPES) {
            ring = new Ring<>(EVENTS);
            events.put(event.type(), ring);
        }
        if (ring != null) {
            ring.add(event);
        }
    }

    /** Returns one string for all that are equal to it. */
    public synchronized String name(String text) {
        String known = names.get(text);
        if (known == null && names.size() < NAMES) {
            names.put(text, text);
        }
        return known == null ? text : known;
    }

    /** Returns how many old collections there have been. */
    public synchronized long oldCollections() {
        return oldAdded;
    }

    /**
     * Returns all of it.
     *
     * @param settings the settings of the JVM
     * @param beans collections without a notification
     * @param ahead milliseconds that are added to each time: for showing it, by how much the wall
     *     clock is ahead
     */
    public synchronized Timeline timeline(
            JvmSettings settings, List<BeanCounts> beans, long ahead) {
        List<GcEvent> both = young.toList();
        long complete = young.hasForgotten() ? both.get(0).atMillis() + ahead : Long.MIN_VALUE;
        both.addAll(old.toList());
        both.sort(Comparator.comparingLong(GcEvent::atMillis));
        List<JvmEvent> all = new ArrayList<>();
        events.values().forEach(ring -> all.addAll(ring.toList()));
        all.sort(Comparator.comparingLong(JvmEvent::atMillis));
        for (int i = 0; ahead != 0 && i < both.size(); i++) {
            both.set(i, later(both.get(i), ahead));
        }
        for (int i = 0; ahead != 0 && i < all.size(); i++) {
            all.set(i, later(all.get(i), ahead));
        }
        return new Timeline(settings, ticks.toList(ahead), both, all, beans, complete);
    }

    private static GcEvent later(GcEvent c, long millis) {
        return new GcEvent(
                c.atMillis() + millis,
                c.durationMillis(),
                c.kind(),
                c.bean(),
                c.action(),
                c.cause(),
                c.heapBefore(),
                c.heapAfter(),
                c.heapCommitted(),
                c.youngAfter(),
                c.oldBefore(),
                c.oldAfter(),
                c.metaspaceBefore(),
                c.metaspaceAfter());
    }

    private static JvmEvent later(JvmEvent e, long millis) {
        return new JvmEvent(
                e.type(), e.atMillis() + millis, e.durationMillis(), e.values(), e.stack());
    }
}
