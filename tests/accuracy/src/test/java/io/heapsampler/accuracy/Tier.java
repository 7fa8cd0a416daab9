// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

/** How much is run. */
final class Tier {

    /** True in {@code tests/run long}. */
    static final boolean LONG = Boolean.parseBoolean(System.getenv("HEAPSAMPLER_LONG"));

    /** From 25 on the JVM samples what is outside thread-local buffers as it should. */
    static final boolean IS_FIXED = Runtime.version().feature() >= 25;

    private Tier() {}

    static int of(int merge, int whole) {
        return LONG ? whole : merge;
    }
}
