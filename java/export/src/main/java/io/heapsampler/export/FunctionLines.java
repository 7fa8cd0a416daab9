// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import java.util.Arrays;

/**
 * Which lines of each function have a location. Functions and locations are numbered from 1. Few
 * lines of a function allocate or call what does, so that they are chained; and what was added last
 * stands side by side in memory, which no map does.
 */
final class FunctionLines {

    private int[] newestOfFunction;
    private int[] lines;
    private int[] older;

    /** With room for the given number of both from the beginning. */
    FunctionLines(int expected) {
        newestOfFunction = new int[expected + 64];
        lines = new int[expected + 64];
        older = new int[expected + 64];
    }

    /** Returns the location of a line; 0 if it has none. */
    int find(int function, int line) {
        int location = function < newestOfFunction.length ? newestOfFunction[function] : 0;
        while (location != 0 && lines[location] != line) {
            location = older[location];
        }
        return location;
    }

    /** Adds the location of a line that has none. */
    void add(int function, int line, int location) {
        if (function >= newestOfFunction.length) {
            newestOfFunction = Arrays.copyOf(newestOfFunction, 2 * function);
        }
        if (location >= lines.length) {
            lines = Arrays.copyOf(lines, 2 * location);
            older = Arrays.copyOf(older, 2 * location);
        }
        lines[location] = line;
        older[location] = newestOfFunction[function];
        newestOfFunction[function] = location;
    }
}
