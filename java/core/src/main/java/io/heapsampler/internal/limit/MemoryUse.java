// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.limit;

/**
 * How much of a limit is in use. Immutable.
 *
 * @param what has the limit, such as {@code the heap}
 * @param used bytes
 * @param limit bytes, above 0
 * @param left bytes that the process may still take
 * @param isCertain false if much of it may be garbage that the collector has yet to free
 */
public record MemoryUse(String what, long used, long limit, long left, boolean isCertain) {

    /** Returns the share of the limit; above 1 if more is in use than allowed. */
    public double share() {
        return (double) used / limit;
    }

    /** Returns a use of which nothing can be garbage. */
    public static MemoryUse of(String what, long used, long limit) {
        return new MemoryUse(what, used, limit, Math.max(0, limit - used), true);
    }

    MemoryUse with(long bytesLeft, boolean certain) {
        return new MemoryUse(what, used, limit, bytesLeft, certain);
    }
}
