// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.InForce;
import io.heapsampler.internal.Limits;
import org.jspecify.annotations.Nullable;

/**
 * What the process-wide sampler used last, or is to use next. Immutable.
 *
 * @param knownLimits of the tables; null for the defaults
 * @param gate what chooses among the samples by bytes; null where nothing does
 * @param interval in bytes, also where allocations are counted
 * @param overhead the budget that the application has asked for; 0 if it has not
 */
record LastUsed(
        @Nullable Limits knownLimits, @Nullable SamplingStrategy gate, int interval, int overhead) {

    static final LastUsed NOTHING = new LastUsed(null, null, Limits.DEFAULT_INTERVAL, 0);

    Limits limits() {
        return knownLimits != null ? knownLimits : SamplerOptions.builder().build().limits();
    }

    /** Returns these, updated with what the engine uses now. */
    LastUsed seen(InForce now) {
        if (now.recordings() == 0) {
            return this;
        }
        SamplingStrategy chosen = SamplingStrategy.of(now.strategy(), now.amount());
        boolean hasInterval = now.handle() != 0 && !countsAllocations(chosen);
        return new LastUsed(
                now.limits(), chosen, hasInterval ? now.interval() : interval, overhead);
    }

    LastUsed withInterval(int bytes) {
        return new LastUsed(knownLimits, gate, bytes, overhead);
    }

    LastUsed withOverhead(int share) {
        return new LastUsed(knownLimits, gate, interval, share);
    }

    static boolean countsAllocations(@Nullable SamplingStrategy gate) {
        return gate != null && gate.kind() == SamplingStrategy.Kind.ALLOCATIONS;
    }

    /** Returns the interval that the engine is to use. */
    int neededInterval() {
        return countsAllocations(gate) ? 0 : interval;
    }

    SamplingStrategy strategy() {
        return gate == null ? SamplingStrategy.bytes(interval) : gate;
    }
}
