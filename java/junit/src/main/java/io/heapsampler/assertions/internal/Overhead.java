// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

/**
 * What assertions inside measured code allocate themselves, so that an assertion around them does
 * not count it. One per thread.
 */
final class Overhead {

    private static final ThreadLocal<Overhead> CURRENT = ThreadLocal.withInitial(Overhead::new);

    /** Bytes of assertions in this thread so far. */
    long own;

    /** Bytes of measured code since the assertion that is under way began. */
    long measured;

    private Overhead() {}

    static Overhead current() {
        return CURRENT.get();
    }
}
