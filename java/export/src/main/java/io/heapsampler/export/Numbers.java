// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A hash map from keys to their numbers. A profile looks hundreds of thousands of frames up, and
 * here one takes two looks into memory, not the four of a {@link java.util.HashMap}.
 */
final class Numbers<K> {

    static final int NONE = -1;

    private @Nullable Object[] keys = new Object[64];
    private int[] numbers = new int[64];
    private int size;

    /** Returns the number of a key; {@link #NONE} if it has none. */
    int of(K key) {
        int slot = slot(key);
        return keys[slot] == null ? NONE : numbers[slot];
    }

    /** Gives a number to a key that has none. */
    void put(K key, int number) {
        if (2 * size >= keys.length) {
            grow();
        }
        int slot = slot(key);
        keys[slot] = key;
        numbers[slot] = number;
        size++;
    }

    /** Returns where the key is, or would be. */
    private int slot(Object key) {
        int mask = keys.length - 1;
        // Spreads the hash codes of names that differ in their last digits only.
        int slot = (key.hashCode() * 0x9E3779B9) >>> 7 & mask;
        for (Object other = keys[slot]; other != null; other = keys[slot]) {
            if (other == key || other.equals(key)) {
                return slot;
            }
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        @Nullable Object[] oldKeys = keys;
        int[] oldNumbers = numbers;
        keys = new Object[2 * oldKeys.length];
        numbers = Arrays.copyOf(oldNumbers, keys.length);
        for (int i = 0; i < oldKeys.length; i++) {
            Object key = oldKeys[i];
            if (key != null) {
                int slot = slot(key);
                keys[slot] = key;
                numbers[slot] = oldNumbers[i];
            }
        }
    }
}
