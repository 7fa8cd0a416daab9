// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import org.jspecify.annotations.Nullable;

/**
 * A hash map from keys to their numbers. A profile looks hundreds of thousands of frames up, and
 * here one takes two looks into memory, not the four of a {@link java.util.HashMap}.
 */
final class Numbers<K> {

    static final int NONE = -1;

    private @Nullable Object[] keys;
    private int[] hashes;
    private int[] numbers;
    private int size;

    Numbers() {
        this(0);
    }

    /** With room for so many keys from the beginning. */
    Numbers(int expected) {
        int slots = Math.max(64, Integer.highestOneBit(Math.max(expected, 1)) * 4);
        keys = new Object[slots];
        hashes = new int[slots];
        numbers = new int[slots];
    }

    /** Returns the number of a key; {@link #NONE} if it has none. */
    int of(K key) {
        int slot = slot(key, hash(key));
        return keys[slot] == null ? NONE : numbers[slot];
    }

    /** Gives a number to a key that has none. */
    void put(K key, int number) {
        if (2 * size >= keys.length) {
            grow();
        }
        put(key, hash(key), number);
        size++;
    }

    private void put(Object key, int hash, int number) {
        int slot = slot(key, hash);
        keys[slot] = key;
        hashes[slot] = hash;
        numbers[slot] = number;
    }

    /** Spreads the hash codes of names that differ in their last digits only. */
    private static int hash(Object key) {
        return (key.hashCode() * 0x9E3779B9) >>> 7;
    }

    /** Returns where the key is, or would be. Other keys are not touched, as a rule. */
    private int slot(Object key, int hash) {
        int mask = keys.length - 1;
        int slot = hash & mask;
        for (Object other = keys[slot]; other != null; other = keys[slot]) {
            if (other == key || (hashes[slot] == hash && other.equals(key))) {
                return slot;
            }
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        @Nullable Object[] oldKeys = keys;
        int[] oldHashes = hashes;
        int[] oldNumbers = numbers;
        keys = new Object[2 * oldKeys.length];
        hashes = new int[keys.length];
        numbers = new int[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            Object key = oldKeys[i];
            if (key != null) {
                put(key, oldHashes[i], oldNumbers[i]);
            }
        }
    }
}
