// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

/** Allocates known amounts. */
final class Allocator {

    /** Where objects go so that no compiler can do without them. */
    static volatile Object sink;

    private static final int HEADER = 16;

    private Allocator() {}

    /** Returns an array that takes so many bytes of the heap: 16 at least, and a multiple of 8. */
    static byte[] array(int bytes) {
        return new byte[bytes - HEADER];
    }
}
