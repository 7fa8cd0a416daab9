// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Engine;
import io.heapsampler.internal.limit.HeapAfterCollection;
import io.heapsampler.internal.limit.MemoryUse;
import org.jspecify.annotations.Nullable;

/** The memory of this process. For one thread. */
final class ProcessMemory implements NearLimitWatch.Sources {

    private final Engine engine;
    private final HeapAfterCollection heap = HeapAfterCollection.ofThisJvm();

    ProcessMemory(Engine engine) {
        this.engine = engine;
    }

    @Override
    public @Nullable MemoryUse heap(double share) {
        return heap.read(share);
    }

    @Override
    public @Nullable MemoryUse group() {
        long[] group = engine.memoryGroup();
        return group == null ? null : MemoryUse.of("the container", group[0], group[1]);
    }

    @Override
    public long getAsLong() {
        return System.nanoTime();
    }
}
