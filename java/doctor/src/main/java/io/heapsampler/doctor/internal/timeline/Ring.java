// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A ring buffer of the last elements. Not safe for use by many threads.
 *
 * @param <E> the type of the elements
 */
final class Ring<E> {

    private final @Nullable Object[] slots;
    private long added;

    Ring(int capacity) {
        this.slots = new Object[capacity];
    }

    /** Adds an element, and drops the oldest if the ring is full. Allocates nothing. */
    void add(E element) {
        slots[(int) (added % slots.length)] = element;
        added++;
    }

    /** Returns whether elements were dropped. */
    boolean hasForgotten() {
        return added > slots.length;
    }

    /** Returns the elements, oldest first. */
    @SuppressWarnings("unchecked") // Only add() writes.
    List<E> toList() {
        int size = (int) Math.min(added, slots.length);
        List<E> all = new ArrayList<>(size);
        for (long i = added - size; i < added; i++) {
            Object slot = slots[(int) (i % slots.length)];
            if (slot != null) {
                all.add((E) slot);
            }
        }
        return all;
    }
}
