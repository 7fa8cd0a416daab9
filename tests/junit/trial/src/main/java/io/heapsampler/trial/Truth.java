// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

/** What is known of a test, whatever its assertion says. */
public enum Truth {
    /** Each use leaves objects behind that stay strongly reachable. */
    LEAK(false),
    /** No use leaves anything behind; caches that are full or weak included. */
    CLEAN(true),
    /** Each use leaves objects behind that only soft references hold. */
    SOFT(true),
    /** No byte is allocated, from the first run on. */
    FREE(true),
    /** No byte is allocated once the optimising compiler has compiled it. */
    FREE_ONCE_COMPILED(true),
    /** Bytes are allocated in each run. */
    ALLOCATES(false),
    /** The limit is kept. */
    KEPT(true),
    /** The limit is broken. */
    BROKEN(false);

    private final boolean shouldPass;

    Truth(boolean shouldPass) {
        this.shouldPass = shouldPass;
    }

    boolean shouldPass() {
        return shouldPass;
    }

    /** Returns whether calls without end would end in an OutOfMemoryError. */
    boolean grows() {
        return this == LEAK;
    }
}
