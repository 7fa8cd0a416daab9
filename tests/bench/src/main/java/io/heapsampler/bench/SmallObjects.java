// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.HashMap;
import java.util.Map;

/**
 * A heap of the smallest objects that lead to others: maps of an entry for six objects and some 28
 * bytes an object, two thirds of which lead nowhere.
 */
final class SmallObjects {

    private static final int ENTRY_BYTES = 176;
    private static final int MAP_ENTRIES = 500;

    private static final Map<Integer, Map<Long, Object[]>> MAPS = new HashMap<>();

    private SmallObjects() {}

    /** Makes that many megabytes of them, which stay. */
    static void make(int megabytes) {
        long maps = megabytes * 1_000_000L / ENTRY_BYTES / MAP_ENTRIES;
        for (int i = 0; i < maps; i++) {
            Map<Long, Object[]> map = new HashMap<>();
            for (long j = 0; j < MAP_ENTRIES; j++) {
                map.put(j + 1_000_000, new Object[] {"value " + j, new byte[16], null});
            }
            MAPS.put(i, map);
        }
    }
}
