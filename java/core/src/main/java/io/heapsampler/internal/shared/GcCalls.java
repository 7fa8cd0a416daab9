// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.internal.NativeEngine;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls of {@code System.gc()} and {@code Runtime.gc()} since this object was made, with their
 * callers. The library sees them if it was loaded before the first call in this JVM. It keeps the
 * last 64 calls, so read them often. Not safe for use by many threads.
 */
public final class GcCalls {

    /**
     * A call.
     *
     * @param agoMicros how long ago it began
     * @param stack leaf first, as {@code Class.method:line}, at most 16 frames; empty if unknown
     */
    public record Call(long agoMicros, long tookMicros, List<String> stack) {}

    private final long[] times = new long[2];
    private long next = NativeEngine.gcCalls();

    /** Returns the next call; null if there is none yet. */
    public @Nullable Call next() {
        long count = NativeEngine.gcCalls();
        while (next < count) {
            String text = NativeEngine.gcCall(next, times);
            next++;
            if (text != null) {
                List<String> stack = text.isEmpty() ? List.of() : List.of(text.split("\n"));
                return new Call(times[0], times[1], stack);
            }
        }
        return null;
    }
}
