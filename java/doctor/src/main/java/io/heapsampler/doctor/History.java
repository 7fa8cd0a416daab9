// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All that was watched, in bounded memory: at most 4 MiB. Collections of the old generation are
 * kept apart, so that a storm of young ones does not wash them away; so is each type of event. Safe
 * for use by many threads.
 */
final class History {

    private static final int YOUNG = 8_192;
    private static final int OLD = 2_048;
    private static final int EVENTS = 512;

    /** The types of events are few; more than these are not kept. */
    private static final int TYPES = 24;

    /** Different names of beans, actions and causes; the JVM makes each anew. */
    private static final int NAMES = 256;

    private final TickStore ticks = new TickStore();
    private final Ring<Collection> young = new Ring<>(YOUNG);
    private final Ring<Collection> old = new Ring<>(OLD);
    private final Map<String, Ring<JvmEvent>> events = new HashMap<>();
    private final Map<String, String> names = new HashMap<>();

    /** Old collections and degenerations so far. */
    private long oldAdded;

    synchronized void add(Tick tick) {
        ticks.add(tick);
    }

    synchronized void add(Collection collection) {
        if (collection.kind().isOld()) {
            old.add(collection);
            oldAdded++;
        } else {
            young.add(collection);
        }
    }

    synchronized void add(JvmEvent event) {
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
    synchronized String name(String text) {
        String known = names.get(text);
        if (known == null && names.size() < NAMES) {
            names.put(text, text);
        }
        return known == null ? text : known;
    }

    /** Returns how many old collections there have been. */
    synchronized long oldCollections() {
        return oldAdded;
    }

    /**
     * Returns all of it.
     *
     * @param settings what the JVM was started with
     * @param beans what no notification told
     */
    synchronized Timeline timeline(JvmSettings settings, List<BeanCounts> beans) {
        List<Collection> both = young.toList();
        long complete = young.hasForgotten() ? both.get(0).atMillis() : Long.MIN_VALUE;
        both.addAll(old.toList());
        both.sort(Comparator.comparingLong(Collection::atMillis));
        List<JvmEvent> all = new ArrayList<>();
        events.values().forEach(ring -> all.addAll(ring.toList()));
        all.sort(Comparator.comparingLong(JvmEvent::atMillis));
        return new Timeline(settings, ticks.toList(), both, all, beans, complete);
    }
}
