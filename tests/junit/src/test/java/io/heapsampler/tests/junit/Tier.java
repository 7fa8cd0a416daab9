// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

/** How much is run. */
final class Tier {

    /** True in {@code tests/run long}. */
    static final boolean LONG = Boolean.parseBoolean(System.getenv("HEAPSAMPLER_LONG"));

    private Tier() {}

    static int of(int merge, int whole) {
        return LONG ? whole : merge;
    }
}
