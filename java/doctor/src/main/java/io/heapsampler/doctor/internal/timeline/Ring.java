// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.timeline;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last so many of something. Not safe for use by many threads.
 *
 * @param <E> what is kept
 */
final class Ring<E> {

    private final @Nullable Object[] slots;
    private long added;

    Ring(int capacity) {
        this.slots = new Object[capacity];
    }

    /** Adds one, and forgets the oldest if there is no place; allocates nothing. */
    void add(E element) {
        slots[(int) (added % slots.length)] = element;
        added++;
    }

    /** Says whether something was forgotten. */
    boolean hasForgotten() {
        return added > slots.length;
    }

    /** Returns what is kept, oldest first. */
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
