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
 * @param last the terms that the process-wide sampler used last, for its next start
 */
record ProcessState(InForce engine, LastUsed last) {

    static final ProcessState NOTHING = new ProcessState(InForce.NOTHING, LastUsed.NOTHING);

    /** Returns this state after the engine was read again. */
    ProcessState seen(InForce now) {
        return new ProcessState(now, now.handle() == 0 ? last : last.seen(now));
    }

    ProcessState with(LastUsed terms) {
        return new ProcessState(engine, terms);
    }

    /** Returns the terms in force while samples are kept, else those last in use. */
    LastUsed terms() {
        return keepsSamples() ? last.seen(engine) : last;
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
        return keepsSamples() ? terms().gate() : null;
    }

    /** Returns the number of open recordings without the default one. */
    int otherRecordings() {
        return engine.recordings() - (handle() == 0 ? 0 : 1);
    }
}
