// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.internal.NativeEngine;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Keeps the sampler's tables of code between recordings, for a user that opens many short ones: the
 * next recording is opened in a tenth of the time, and finds the stacks that earlier ones saw
 * learned. No recording is open for that and nothing is sampled: status, intervals, limits and
 * figures of others are the same as without it; only native memory is in use for longer.
 *
 * <p>Thread-safe. Close it when no more recordings follow.
 */
public final class KeptTables implements AutoCloseable {

    private final AtomicBoolean isOpen = new AtomicBoolean(true);

    private KeptTables() {}

    /**
     * Begins to keep them.
     *
     * @throws io.heapsampler.HeapSamplingUnavailableException if the library cannot be loaded
     */
    public static KeptTables open() {
        NativeEngine.keepTables(true);
        return new KeptTables();
    }

    /** Gives the memory back, unless others keep the tables as well. Harmless when done before. */
    @Override
    public void close() {
        if (isOpen.getAndSet(false)) {
            NativeEngine.keepTables(false);
        }
    }
}
