// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerOptions;
import io.heapsampler.Strategy;
import org.jspecify.annotations.Nullable;

/**
 * The agent's hold of the process-wide sampler. There is one sampler for the whole JVM. If it runs
 * already, the agent joins it; in the end it runs on for others who hold it.
 */
final class Sampling {

    /** The dead between two looks at a second's distance shall fit. */
    private static final int MAX_DEAD_FOR_LIFETIMES = 32_768;

    private static final String NAME = "agent";

    private final AgentOptions options;
    private @Nullable SamplerHold hold;

    Sampling(AgentOptions options) {
        this.options = options;
    }

    /**
     * Starts the sampler, or joins it.
     *
     * @throws io.heapsampler.HeapSamplingUnavailableException if this JVM cannot be sampled
     */
    void start() {
        try {
            hold = HeapSampler.share(NAME, samplerOptions());
        } catch (IllegalStateException e) {
            hold = HeapSampler.share(NAME);
            AgentLog.warn(
                    "The agent joins the sampler as it is, and its own interval, strategy and"
                            + " bounds have no effect: "
                            + e.getMessage());
        }
    }

    private SamplerOptions samplerOptions() {
        SamplerOptions.Builder builder = SamplerOptions.builder().maxDepth(options.maxDepth);
        switch (options.strategy) {
            case BYTES -> builder.interval(options.interval);
            case ALLOCATION_COUNT -> builder.strategy(Strategy.allocations(options.sampleRate));
            case TIME ->
                    builder.interval(options.interval)
                            .strategy(Strategy.atMostOnePer(options.samplePeriod));
        }
        if (options.recorder == AgentOptions.RecorderKind.LIFETIME) {
            builder.maxDead(MAX_DEAD_FOR_LIFETIMES);
        }
        options.maxTracked.ifPresent(builder::maxTracked);
        options.reportOnOom.ifPresent(builder::reportOnOom);
        return builder.build();
    }

    /** Gives the sampler back. With the last hold it stops and forgets what nobody else keeps. */
    void stop() {
        if (hold != null) {
            hold.close();
        }
    }
}
