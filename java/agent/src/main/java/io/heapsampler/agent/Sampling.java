// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerState;
import io.heapsampler.Strategy;

/**
 * The agent's part in the process-wide sampler. There is one for the whole JVM, which the
 * application can start and stop, too: if it runs already, the agent joins it as it is, and leaves
 * it running in the end.
 */
final class Sampling {

    /** The dead between two looks at a second's distance shall fit. */
    private static final int MAX_DEAD_FOR_LIFETIMES = 32_768;

    private final AgentOptions options;
    private boolean isOwn;

    Sampling(AgentOptions options) {
        this.options = options;
    }

    /**
     * Starts the sampler, or joins it.
     *
     * @throws io.heapsampler.HeapSamplingUnavailableException if this JVM cannot be sampled
     */
    void start() {
        if (HeapSampler.status().state() == SamplerState.RUNNING) {
            join();
            return;
        }
        try {
            HeapSampler.start(samplerOptions());
            isOwn = true;
        } catch (IllegalStateException e) {
            startAsIs(e);
        }
    }

    private void join() {
        AgentLog.warn(
                "The application samples its heap itself ("
                        + HeapSampler.status()
                        + "). The agent joins it, and its own interval, strategy and bounds have no"
                        + " effect.");
    }

    /** The application keeps samples with other bounds, or started the sampler just now. */
    private void startAsIs(IllegalStateException refusal) {
        if (HeapSampler.status().state() == SamplerState.RUNNING) {
            join();
            return;
        }
        HeapSampler.start();
        isOwn = true;
        AgentLog.warn(
                "The agent samples with the strategy and bounds that the application has set, not"
                        + " its own: "
                        + refusal.getMessage());
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

    /** Stops the sampler and gives its memory back, if the agent started it. */
    void stop() {
        if (isOwn) {
            HeapSampler.stop();
            HeapSampler.reset();
        }
    }
}
