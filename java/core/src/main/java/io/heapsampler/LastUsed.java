// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.InForce;
import io.heapsampler.internal.Limits;
import org.jspecify.annotations.Nullable;

/**
 * The terms that the process-wide sampler used last, for the next start. Immutable.
 *
 * @param knownLimits of the tables; null for the defaults
 * @param gate the strategy that thins the byte samples; null for none
 * @param interval in bytes, also where allocations are counted
 * @param overhead the budget that the application has requested; 0 for none
 */
record LastUsed(
        @Nullable Limits knownLimits, @Nullable SamplingStrategy gate, int interval, int overhead) {

    static final LastUsed NOTHING = new LastUsed(null, null, Limits.DEFAULT_INTERVAL, 0);

    Limits limits() {
        return knownLimits != null ? knownLimits : SamplerOptions.builder().build().limits();
    }

    /** Returns these, updated with the terms of an engine that keeps samples. */
    LastUsed seen(InForce now) {
        SamplingStrategy chosen = SamplingStrategy.of(now.strategy(), now.amount());
        boolean hasInterval = now.handle() != 0 && !countsAllocations(chosen);
        return new LastUsed(
                now.limits(), chosen, hasInterval ? now.interval() : interval, overhead);
    }

    LastUsed withInterval(int bytes) {
        return new LastUsed(knownLimits, gate, bytes, overhead);
    }

    /** Returns these after the application took a hold; without a budget, the old one stays. */
    LastUsed with(HoldPlan plan) {
        int budget = plan.overhead() == 0 ? overhead : plan.overhead();
        return new LastUsed(knownLimits, gate, interval, budget);
    }

    static boolean countsAllocations(@Nullable SamplingStrategy gate) {
        return gate != null && gate.kind() == SamplingStrategy.Kind.ALLOCATIONS;
    }

    /** Returns the interval for the engine. */
    int neededInterval() {
        return countsAllocations(gate) ? 0 : interval;
    }

    SamplingStrategy strategy() {
        return gate == null ? SamplingStrategy.bytes(interval) : gate;
    }
}
