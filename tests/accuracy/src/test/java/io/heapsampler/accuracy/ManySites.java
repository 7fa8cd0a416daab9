// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import java.util.ArrayList;
import java.util.List;

/**
 * A program with up to 4,096 sites whose live bytes stay the same: each replaces all of its objects
 * in each round. One more site leaks. A stack of six calls, each from one of four lines, makes a
 * site of its own.
 */
final class ManySites {

    static final int OBJECTS = 64;
    static final int SIZE = 80;
    static final int LEAKED = 256;

    private static final int DEPTH = 6;

    private final byte[][][] live;
    private final List<byte[]> leaked = new ArrayList<>(100_000);

    ManySites(int sites) {
        live = new byte[sites][OBJECTS][];
    }

    /** Replaces all objects, and leaks 20 KB more. */
    void round() {
        for (int site = 0; site < live.length; site++) {
            for (int i = 0; i < OBJECTS; i++) {
                live[site][i] = call(site, DEPTH);
            }
        }
        for (int i = 0; i < LEAKED; i++) {
            leaked.add(leak());
        }
    }

    private static byte[] leak() {
        return Allocator.array(SIZE);
    }

    private static byte[] call(int site, int depth) {
        if (depth == 0) {
            return Allocator.array(SIZE);
        }
        int rest = site / 4;
        return switch (site % 4) {
            case 0 -> call(rest, depth - 1);
            case 1 -> call(rest, depth - 1);
            case 2 -> call(rest, depth - 1);
            default -> call(rest, depth - 1);
        };
    }
}
