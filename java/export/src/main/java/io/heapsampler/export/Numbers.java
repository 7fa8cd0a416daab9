// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import org.jspecify.annotations.Nullable;

/**
 * A hash map from keys to their numbers. A profile looks tens of thousands of frames up that it has
 * not met before, and here that is one look into memory, not the four of a {@link
 * java.util.HashMap}.
 */
final class Numbers<K> {

    private @Nullable Object[] keys;

    /** Of each slot the hash and the number plus 1, which is 0 where the slot is free. */
    private int[] slots;

    private int size;

    Numbers() {
        this(0);
    }

    /** With room for the given number of keys from the beginning. */
    Numbers(int expected) {
        int count = Math.max(64, Integer.highestOneBit(Math.max(expected, 1)) * 4);
        keys = new Object[count];
        slots = new int[2 * count];
    }

    /** Returns the number of a key; one that has none is given the next, from 0 on. */
    int of(K key, int next) {
        if (2 * size >= keys.length) {
            grow();
        }
        int hash = hash(key);
        int mask = keys.length - 1;
        int slot = hash & mask;
        while (slots[2 * slot + 1] != 0) {
            if (slots[2 * slot] == hash && key.equals(keys[slot])) {
                return slots[2 * slot + 1] - 1;
            }
            slot = slot + 1 & mask;
        }
        put(slot, key, hash, next + 1);
        size++;
        return next;
    }

    private void put(int slot, Object key, int hash, int numberPlusOne) {
        keys[slot] = key;
        slots[2 * slot] = hash;
        slots[2 * slot + 1] = numberPlusOne;
    }

    /** Spreads the hash codes of names that differ in their last digits only. */
    private static int hash(Object key) {
        return (key.hashCode() * 0x9E3779B9) >>> 7;
    }

    private void grow() {
        @Nullable Object[] oldKeys = keys;
        int[] oldSlots = slots;
        keys = new Object[2 * oldKeys.length];
        slots = new int[2 * oldSlots.length];
        int mask = keys.length - 1;
        for (int i = 0; i < oldKeys.length; i++) {
            Object key = oldKeys[i];
            if (key != null) {
                int slot = oldSlots[2 * i] & mask;
                while (slots[2 * slot + 1] != 0) {
                    slot = slot + 1 & mask;
                }
                put(slot, key, oldSlots[2 * i], oldSlots[2 * i + 1]);
            }
        }
    }
}
