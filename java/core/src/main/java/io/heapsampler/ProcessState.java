// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.InForce;
import org.jspecify.annotations.Nullable;

/**
 * The process-wide sampler as this copy of the classes knows it. Immutable; {@link ProcessSampler}
 * publishes each state whole.
 *
 * @param engine the state of the engine when it was last read
 * @param last the terms last in use, for the next start
 * @param reports the open holds of this copy, and their reports on out-of-memory
 */
record ProcessState(InForce engine, LastUsed last, OomReports reports) {

    static final ProcessState NOTHING =
            new ProcessState(InForce.NOTHING, LastUsed.NOTHING, OomReports.NONE);

    /** Returns this state after the engine was read again. */
    ProcessState seen(InForce now) {
        return new ProcessState(now, last.seen(now), reports);
    }

    ProcessState with(LastUsed terms) {
        return new ProcessState(engine, terms, reports);
    }

    ProcessState with(OomReports changed) {
        return new ProcessState(engine, last, changed);
    }

    boolean isRunning() {
        return engine.isRunning();
    }

    /** Returns whether samples are kept, which fixes the limits and the strategy. */
    boolean keepsSamples() {
        return engine.recordings() > 0;
    }

    /** Returns the handle of the default recording; 0 if it has no data. */
    int handle() {
        return engine.handle();
    }

    /** Returns the strategy that thins all recordings; null for none. */
    @Nullable SamplingStrategy sharedStrategy() {
        return keepsSamples() ? last.gate() : null;
    }

    /** Returns the number of open recordings without the default one. */
    int otherRecordings() {
        return engine.recordings() - (handle() == 0 ? 0 : 1);
    }
}
