// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes keys of the sites of several snapshots, which are equal for the same class and the same
 * methods, or for the same lines as well. Each frame of a snapshot is looked up once and is a
 * number from then on: stacks have ten times as many frames as there are different ones, and to
 * compare two frames takes four texts. For one thread.
 */
final class SiteKeys {

    private final boolean isByLine;
    private final Map<HeapFrame, Integer> numbers = new HashMap<>();
    private final Map<Key, Integer> sites = new HashMap<>();
    private final List<Key> all = new ArrayList<>();

    SiteKeys(boolean isByLine) {
        this.isByLine = isByLine;
    }

    /** Returns a number for each site of a snapshot, from 0 on: the same for the same key. */
    int[] numbersOf(HeapSnapshot snapshot) {
        Key[] keys = of(snapshot);
        int[] result = new int[keys.length];
        for (int i = 0; i < keys.length; i++) {
            Integer known = sites.putIfAbsent(keys[i], all.size());
            result[i] = known == null ? all.size() : known;
            if (known == null) {
                all.add(keys[i]);
            }
        }
        return result;
    }

    /** Returns the keys of all snapshots so far, each at its number. */
    List<Key> all() {
        return all;
    }

    /** Returns the keys of all sites of a snapshot, in their order. */
    private Key[] of(HeapSnapshot snapshot) {
        int[] numberOf = new int[snapshot.frames().size()];
        Key[] keys = new Key[snapshot.sites().size()];
        for (int i = 0; i < keys.length; i++) {
            HeapSite site = snapshot.sites().get(i);
            int[] frames = site.frameNumbers();
            for (int k = 0; k < frames.length; k++) {
                int frame = frames[k];
                if (numberOf[frame] == 0) {
                    numberOf[frame] = number(snapshot.frames().get(frame));
                }
                frames[k] = numberOf[frame];
            }
            keys[i] = new Key(site, frames);
        }
        return keys;
    }

    /** The number of a frame, from 1 on. */
    private int number(HeapFrame frame) {
        int next = numbers.size() + 1;
        Integer known = numbers.putIfAbsent(isByLine ? frame : frame.withoutLine(), next);
        return known == null ? next : known;
    }

    /**
     * What makes sites of different snapshots the same, among keys of the same maker. The hash code
     * is that of all frames, and maps request it several times, so it is kept.
     */
    static final class Key {

        private final HeapSite site;
        private final String className;
        private final int[] frames;
        private final int hash;

        /**
         * Makes a key.
         *
         * @param site the first that has this key
         * @param frames equal numbers for equal frames
         */
        private Key(HeapSite site, int[] frames) {
            this.site = site;
            this.className = site.className();
            this.frames = frames;
            this.hash = 31 * className.hashCode() + Arrays.hashCode(frames);
        }

        String className() {
            return className;
        }

        List<HeapFrame> stack() {
            return site.stack();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key that
                    && hash == that.hash
                    && site.isTruncated() == that.site.isTruncated()
                    && className.equals(that.className)
                    && Arrays.equals(frames, that.frames);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
