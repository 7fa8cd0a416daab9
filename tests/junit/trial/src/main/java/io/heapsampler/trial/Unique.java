// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

import java.util.concurrent.atomic.AtomicLong;

/** Names that no run has used before. */
public final class Unique {

    private static final AtomicLong LAST = new AtomicLong();

    private Unique() {}

    /** Returns a new name. */
    public static String name() {
        return "name-" + LAST.incrementAndGet();
    }

    /** Returns a new number, beyond those that {@link Integer} keeps. */
    public static int number() {
        return 1_000_000 + (int) LAST.incrementAndGet();
    }
}
