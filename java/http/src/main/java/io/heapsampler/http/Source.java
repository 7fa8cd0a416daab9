// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerState;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SnapshotOptions;

/** The sampler, or in tests something that is slow or fails. */
interface Source {

    HeapSnapshot snapshot(SnapshotOptions options);

    SamplerStatus status();

    /** Says whether there may be samples. */
    default boolean wasStarted() {
        return status().state() != SamplerState.NEW;
    }

    void start();

    /** Gives back only what {@code start} has taken: others may hold the sampler further on. */
    void stop();

    void setInterval(long bytes);

    void reset();

    /** The process-wide sampler, with the hold of the application: the two are one holder. */
    Source PROCESS = ofProcess(HeapSampler::start, HeapSampler::stop);

    /** Returns the process-wide sampler with another way to start and stop it. */
    static Source ofProcess(Runnable start, Runnable stop) {
        return new Source() {
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
        };
    }
}
