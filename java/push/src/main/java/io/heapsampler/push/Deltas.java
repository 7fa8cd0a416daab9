// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerState;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.internal.shared.SampleSource;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the life of the sampler into intervals. Allocations before the first belong to none of them;
 * after a reset or a first start, the interval begins there. For one thread.
 */
final class Deltas {

    /**
     * The figures of one interval: the allocations in it, and all that is live at its end.
     *
     * @param since the snapshot at its begin; null if everything in the snapshot belongs to this
     *     interval
     */
    record Delta(HeapSnapshot now, @Nullable HeapSnapshot since) {

        Instant from() {
            return since == null ? now.startedAt() : since.takenAt();
        }

        Instant until() {
            return now.takenAt();
        }

        HeapAmount allocated() {
            return since == null ? now.totals().allocated() : now.diff(since).allocated();
        }

        private boolean isEmpty() {
            return Math.round(allocated().bytes().value()) == 0
                    && Math.round(now.totals().live().bytes().value()) == 0;
        }
    }

    private final SampleSource source;
    private @Nullable HeapSnapshot last;
    private boolean hasBegun;
    private boolean wasStopped;

    Deltas(SampleSource source) {
        this.source = source;
    }

    /** Begins the first interval. If it throws, the next call of {@link #next} tries again. */
    void begin() {
        if (source.state() != SamplerState.NEW) {
            last = source.snapshot(SnapshotOptions.defaults());
        }
        hasBegun = true;
    }

    /**
     * Ends an interval.
     *
     * @return null if there is nothing to report: the sampler was never started, or was already
     *     stopped at the previous call, or nothing was allocated and nothing is live, or the first
     *     interval begins only now
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
        boolean isSame = before != null && before.startedAt().equals(now.startedAt());
        Delta delta = new Delta(now, isSame ? before : null);
        return delta.isEmpty() ? null : delta;
    }
}
