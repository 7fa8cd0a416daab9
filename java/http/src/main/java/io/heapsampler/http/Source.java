// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerState;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SnapshotOptions;
import java.util.List;

/** The sampler, or in tests something that is slow or fails. */
interface Source {

    HeapSnapshot snapshot(SnapshotOptions options);

    SamplerStatus status();

    /** Says whether there may be samples. */
    default boolean wasStarted() {
        return status().state() != SamplerState.NEW;
    }

    void start();

    /** Gives the application's hold back; refused where sampling goes on for others. */
    void stop();

    void setInterval(long bytes);

    void reset();

    /** The process-wide sampler. */
    Source PROCESS =
            new Source() {
                @Override
                public HeapSnapshot snapshot(SnapshotOptions options) {
                    return HeapSampler.snapshot(options);
                }

                @Override
                public SamplerStatus status() {
                    return HeapSampler.status();
                }

                @Override
                public void start() {
                    HeapSampler.start();
                }

                @Override
                public void stop() {
                    HeapSampler.stop();
                    List<String> others = HeapSampler.status().holders();
                    if (!others.isEmpty()) {
                        throw new IllegalStateException(
                                "Sampling goes on: the application's hold is given back, but others"
                                        + " hold the sampler: "
                                        + String.join(", ", others)
                                        + ". It ends with the last of them.");
                    }
                }

                @Override
                public void setInterval(long bytes) {
                    HeapSampler.setInterval(bytes);
                }

                @Override
                public void reset() {
                    HeapSampler.reset();
                }
            };
}
