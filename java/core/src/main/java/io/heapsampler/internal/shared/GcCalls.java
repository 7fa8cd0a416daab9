// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.internal.NativeEngine;
import java.util.List;

/**
 * Calls of {@code System.gc()} and {@code Runtime.gc()} since this object was made, with their
 * callers. The library sees them if it was loaded before the first call in this JVM. It keeps the
 * last 64 calls, so read them often. Not safe for use by many threads.
 *
 * <pre>{@code
 * while (calls.advance()) {
 *     print(calls.stack());
 * }
 * }</pre>
 */
public final class GcCalls {

    private final long[] times = new long[2];
    private List<String> stack = List.of();
    private long next = NativeEngine.gcCalls();

    /** Goes on to the next call; returns false if there is none yet. */
    public boolean advance() {
        for (long count = NativeEngine.gcCalls(); next < count; next++) {
            String text = NativeEngine.gcCall(next, times);
            if (text != null) {
                stack = text.isEmpty() ? List.of() : List.of(text.split("\n"));
                next++;
                return true;
            }
        }
        return false;
    }

    /** Returns how long ago the call began, in microseconds. */
    public long agoMicros() {
        return times[0];
    }

    /** Returns how long the call took, in microseconds. */
    public long tookMicros() {
        return times[1];
    }

    /**
     * Returns the stack of the call, leaf first, as {@code Class.method:line}: at most 16 frames;
     * none if the stack is unknown.
     */
    public List<String> stack() {
        return stack;
    }
}
