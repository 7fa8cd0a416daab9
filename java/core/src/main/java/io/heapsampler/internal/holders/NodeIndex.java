// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

/**
 * Finds a child by its parent and its link: a hash table of numbers, because an answer may have a
 * million nodes. Parents and links grow together, so a sum or an exclusive or of both is no hash.
 * For one thread.
 */
final class NodeIndex {

    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private long[] keys = new long[64];

    /** By the slot of the key; 0 for an empty slot, since node 0 is no child. */
    private int[] nodes = new int[64];

    private int count;

    /** Returns the child; {@code next}, which becomes the child, if there is none yet. */
    int child(int parent, int link, int next) {
        long key = (long) parent << 32 | link;
        int slot = slot(key);
        if (nodes[slot] != 0) {
            return nodes[slot];
        }
        keys[slot] = key;
        nodes[slot] = next;
        count++;
        if (2 * count > nodes.length) {
            grow();
        }
        return next;
    }

    /** Returns the slot of the key, or the empty one where it belongs. */
    private int slot(long key) {
        int mask = nodes.length - 1;
        int slot = (int) ((key * MULTIPLIER) >>> 32) & mask;
        while (nodes[slot] != 0 && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldNodes = nodes;
        keys = new long[2 * oldKeys.length];
        nodes = new int[2 * oldNodes.length];
        for (int i = 0; i < oldNodes.length; i++) {
            if (oldNodes[i] != 0) {
                int slot = slot(oldKeys[i]);
                keys[slot] = oldKeys[i];
                nodes[slot] = oldNodes[i];
            }
        }
    }
}
