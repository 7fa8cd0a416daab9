// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.HeapDiff;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerState;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.shared.SampleSource;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the life of the sampler into intervals. Allocations before the first belong to none of them;
 * after a reset or a first start, the interval begins there. For one thread.
 */
final class Deltas {

    private final SampleSource source;
    private @Nullable HeapSnapshot last;
    private boolean hasBegun;
    private boolean wasStopped;

    Deltas(SampleSource source) {
        this.source = source;
    }

    /** Begins the first interval. What it throws, the next call of {@link #next} tries again. */
    void begin() {
        if (source.state() != SamplerState.NEW) {
            last = source.snapshot(SnapshotOptions.defaults());
        }
        hasBegun = true;
    }

    /**
     * Ends an interval.
     *
     * @return null if there is nothing to tell: the sampler has never been started, or was stopped
     *     the last time already, or nothing was allocated and nothing is live, or the first
     *     interval could not begin until now
     */
    @Nullable Delta next() {
        if (!hasBegun) {
            begin();
            return null;
        }
        SamplerState state = source.state();
        boolean isOver = state == SamplerState.STOPPED && wasStopped;
        if (state == SamplerState.NEW || isOver) {
            return null;
        }
        HeapSnapshot now = source.snapshot(SnapshotOptions.defaults());
        wasStopped = state == SamplerState.STOPPED;
        HeapSnapshot before = last;
        last = now;
        HeapDiff diff = null;
        if (before != null && before.startedAt().equals(now.startedAt())) {
            diff = now.diff(before);
        }
        Delta delta = new Delta(now, diff);
        return delta.isEmpty() ? null : delta;
    }
}
