// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SnapshotOptions;

/** The process-wide sampler. */
final class ProcessSource implements SampleSource {

    private final Runnable start;
    private final Runnable stop;

    ProcessSource(Runnable start, Runnable stop) {
        this.start = start;
        this.stop = stop;
    }

    @Override
    public HeapSnapshot snapshot(SnapshotOptions options) {
        return HeapSampler.snapshot(options);
    }

    @Override
    public HeldBy heldBy(HeldByOptions options) {
        return HeapSampler.heldBy(options);
    }

    @Override
    public SamplerStatus status() {
        return HeapSampler.status();
    }

    @Override
    public void start() {
        start.run();
    }

    @Override
    public void stop() {
        stop.run();
    }

    @Override
    public void setInterval(long bytes) {
        HeapSampler.setInterval(bytes);
    }

    @Override
    public void reset() {
        HeapSampler.reset();
    }
}
