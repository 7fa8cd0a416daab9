// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All that was watched, in bounded memory: 3.7 MiB when it is full. Collections of the old
 * generation are kept apart, so that a storm of young ones does not wash them away; so is each type
 * of event, of which there are few. All times are those of {@link VmClock}. Safe for use by many
 * threads.
 */
final class History {

    private static final int YOUNG = 8_192;
    static final int OLD = 2_048;
    static final int EVENTS = 512;

    private final TickStore ticks = new TickStore();
    private final ArrayDeque<GcEvent> young = new ArrayDeque<>(YOUNG);
    private final ArrayDeque<GcEvent> old = new ArrayDeque<>(OLD);
    private final Map<String, ArrayDeque<JvmEvent>> events = new HashMap<>();
    private boolean hasForgotten;

    /** Old collections and degenerations so far. */
    private long oldAdded;

    /** Adds a row of {@link Tick#FIELDS}; allocates nothing. */
    synchronized void add(long[] row) {
        ticks.add(row);
    }

    synchronized void add(GcEvent collection) {
        if (collection.kind().isOld()) {
            add(old, collection, OLD);
            oldAdded++;
        } else {
            hasForgotten |= add(young, collection, YOUNG);
        }
    }

    synchronized void add(JvmEvent event) {
        ArrayDeque<JvmEvent> same = events.get(event.type());
        if (same == null) { // No lambda: metaspace may have no room for one.
            same = new ArrayDeque<>(EVENTS);
            events.put(event.type(), same);
        }
        add(same, event, EVENTS);
    }

    /**
     * Allocates nothing: the deques are as long as they become. Returns whether one was dropped.
     */
    private static <E> boolean add(ArrayDeque<E> elements, E element, int most) {
        boolean isFull = elements.size() == most;
        if (isFull) {
            elements.pollFirst();
        }
        elements.addLast(element);
        return isFull;
    }

    synchronized long oldCollections() {
        return oldAdded;
    }

    /** Returns all of it; {@code ahead} is that of {@link Timeline}. */
    synchronized Timeline timeline(JvmSettings settings, long ahead) {
        long complete = hasForgotten ? young.getFirst().atMillis() : Long.MIN_VALUE;
        List<GcEvent> both = new ArrayList<>(young);
        both.addAll(old);
        List<JvmEvent> all = new ArrayList<>();
        for (ArrayDeque<JvmEvent> same : events.values()) {
            all.addAll(same);
        }
        both.sort(Comparator.comparingLong(GcEvent::atMillis));
        all.sort(Comparator.comparingLong(JvmEvent::atMillis));
        return new Timeline(settings, ticks.toList(), both, all, complete, ahead);
    }
}
