// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.Arrays;

/**
 * Live objects and bytes of one site or class at the looks of a trial. Made once with room for all
 * of them, so that keeping account does not grow the heap it watches.
 */
final class LiveSeries {

    private final double[] objects;
    private final double[] bytes;

    LiveSeries(int looks) {
        objects = new double[looks];
        bytes = new double[looks];
    }

    void add(int look, double moreObjects, double moreBytes) {
        objects[look] += moreObjects;
        bytes[look] += moreBytes;
    }

    void clear(int look) {
        objects[look] = 0;
        bytes[look] = 0;
    }

    double objects(int look) {
        return objects[look];
    }

    double bytes(int look) {
        return bytes[look];
    }

    /** Returns the objects from one look to another, both included. */
    double[] objects(int from, int to) {
        return Arrays.copyOfRange(objects, from, to + 1);
    }

    /** Returns the bytes from one look to another, both included. */
    double[] bytes(int from, int to) {
        return Arrays.copyOfRange(bytes, from, to + 1);
    }

    LiveSeries plus(LiveSeries other) {
        LiveSeries sum = new LiveSeries(objects.length);
        for (int look = 0; look < objects.length; look++) {
            sum.add(look, objects[look], bytes[look]);
            sum.add(look, other.objects[look], other.bytes[look]);
        }
        return sum;
    }

    /** Is more alive at a look than at an earlier one, in objects or in bytes? */
    boolean hasGrown(int from, int to) {
        return objects[to] > objects[from] || bytes[to] > bytes[from];
    }
}
