// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes keys of the sites of several snapshots, which are equal for the same class and the same
 * methods, or for the same lines as well. Each frame of a snapshot is looked up once and is a
 * number from then on: stacks have ten times as many frames as there are different ones, and to
 * compare two frames takes four texts. For one thread.
 */
final class SiteKeys {

    private final boolean isByLine;
    private final Map<HeapFrame, Integer> numbers = new HashMap<>();
    private final Map<SiteKey, Integer> sites = new HashMap<>();
    private final List<SiteKey> all = new ArrayList<>();

    SiteKeys(boolean isByLine) {
        this.isByLine = isByLine;
    }

    /** Returns a number for each site of a snapshot, from 0 on: the same for the same key. */
    int[] numbersOf(HeapSnapshot snapshot) {
        SiteKey[] keys = of(snapshot);
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
    List<SiteKey> all() {
        return all;
    }

    /** Returns the keys of all sites of a snapshot, in their order. */
    private SiteKey[] of(HeapSnapshot snapshot) {
        int[] numberOf = new int[snapshot.frames().size()];
        SiteKey[] keys = new SiteKey[snapshot.sites().size()];
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
            keys[i] = new SiteKey(site, frames);
        }
        return keys;
    }

    /** The number of a frame, from 1 on. */
    private int number(HeapFrame frame) {
        int next = numbers.size() + 1;
        Integer known = numbers.putIfAbsent(isByLine ? frame : frame.withoutLine(), next);
        return known == null ? next : known;
    }
}
