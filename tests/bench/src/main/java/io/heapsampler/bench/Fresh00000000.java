// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.function.Supplier;

/**
 * Code that {@link FreshClasses} loads under other names of the same length. Public types of this
 * package are all that it may use of it, since each copy has a class loader of its own.
 */
public final class Fresh00000000 extends Padded implements Supplier<Object> {

    /** Objects that each copy allocates when it is initialised. */
    static final int OBJECTS = 2;

    /** 16 KiB: at the intervals of these stages each of them is sampled. */
    private static final int LENGTH = 4096;

    @SuppressWarnings("unused") // the first object may not be optimised away
    private static volatile Object sink;

    static {
        for (int i = 0; i < OBJECTS; i++) {
            sink = new Fresh00000000();
        }
    }

    /** Allocates what its class declares. */
    public Fresh00000000() {}

    @Override
    public Object get() {
        return new Fresh00000000[LENGTH];
    }
}
