// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.lang.reflect.Array;
import java.util.function.LongSupplier;

/**
 * The {@code Class} objects of new array classes. Up to JDK 23 the JVM makes them under a lock
 * beneath which it reports no samples, so that they are in its count alone.
 */
final class ArrayMirrors {

    /** In which release samples of them are reported at the latest. */
    private static final int REPORTED = 25;

    private static final int EMPTY_ARRAY = 16;

    /** More than any code makes in one run. */
    private static final int MOST = 256;

    private static final long SIZE = size();

    private ArrayMirrors() {}

    /** Has an array class that has not been used before. */
    private static final class Unused {}

    private static long size() {
        LongSupplier counter = Counters.ofThread();
        if (counter == null || Runtime.version().feature() >= REPORTED) {
            return 0;
        }
        Class<?> type = Unused.class; // loaded before
        Array.newInstance(Object.class, 0);
        long before = counter.getAsLong();
        Array.newInstance(type, 0);
        return counter.getAsLong() - before - EMPTY_ARRAY;
    }

    /** Can bytes that no sample explains be such objects, and nothing else? */
    static boolean explain(long bytes) {
        return SIZE > EMPTY_ARRAY && bytes > 0 && bytes % SIZE == 0 && bytes / SIZE <= MOST;
    }
}
