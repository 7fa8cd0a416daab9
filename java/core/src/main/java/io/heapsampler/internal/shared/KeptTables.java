// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.internal.NativeEngine;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps the sampler's tables of code between recordings, for a user that opens many short ones: the
 * next recording is opened in a tenth of the time, and finds the stacks that earlier ones saw
 * learned. No recording is open for that and nothing is sampled: status, intervals, limits and
 * figures of others are the same as without it; only native memory is in use for longer.
 *
 * <p>Thread-safe. Close it when no more recordings follow. If its class loader is collected before,
 * the memory is given back as well.
 */
public final class KeptTables implements AutoCloseable {

    /** 0 once it is closed. */
    private final AtomicInteger number;

    private KeptTables(int number) {
        this.number = new AtomicInteger(number);
    }

    /**
     * Begins to keep them.
     *
     * @throws io.heapsampler.HeapSamplingUnavailableException if the library cannot be loaded
     */
    public static KeptTables open() {
        return new KeptTables(NativeEngine.keepTables());
    }

    /** Gives the memory back, unless others keep the tables as well. Harmless when done before. */
    @Override
    public void close() {
        int kept = number.getAndSet(0);
        if (kept != 0) {
            NativeEngine.dropTables(kept);
        }
    }
}
