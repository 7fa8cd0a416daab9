// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerOptions;
import org.jspecify.annotations.Nullable;

/**
 * The agent's hold of the process-wide sampler. The agent joins a running sampler, which later
 * continues for its other holders. Thread-safe: the page of the agent starts and stops it as well.
 */
final class Sampling {

    private final SamplerOptions options;

    /** Guarded by this. */
    private @Nullable SamplerHold hold;

    /** Guarded by this. */
    private boolean hasEnded;

    Sampling(SamplerOptions options) {
        this.options = options;
    }

    /**
     * Starts the sampler, or joins it. Does nothing if this hold exists or has ended.
     *
     * @throws io.heapsampler.HeapSamplingUnavailableException if this JVM cannot be sampled
     */
    synchronized void start() {
        if (hasEnded || hold != null) {
            return;
        }
        try {
            hold = HeapSampler.share("agent", options);
        } catch (IllegalStateException e) {
            hold = HeapSampler.share("agent");
            AgentLog.warn(
                    "The agent joins the sampler as it is, and its own interval, strategy and"
                            + " bounds have no effect: "
                            + e.getMessage());
        }
    }

    /** Releases the sampler and keeps the samples, also for the last files of the agent. */
    synchronized void stop() {
        if (hold != null) {
            hold.stop();
            hold = null;
        }
    }

    /**
     * Releases the sampler for good. The last hold stops it and drops the samples, unless the
     * application or a {@link #stop()} has kept them.
     */
    synchronized void end() {
        hasEnded = true;
        if (hold != null) {
            hold.close();
            hold = null;
        }
    }
}
