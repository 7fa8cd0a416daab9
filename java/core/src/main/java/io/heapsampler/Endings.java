// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import io.heapsampler.internal.Engine;

/** What may go wrong while something is ended. */
final class Endings {

    private Endings() {}

    /** Closes a recording of the engine, unless the JVM is shutting down. */
    static void close(Engine engine, int handle) {
        try {
            engine.close(handle);
        } catch (HeapSamplingUnavailableException e) {
            ignoreShutdown(e);
        }
    }

    /** Ignores that the JVM is shutting down, which ends everything; throws any other failure. */
    static void ignoreShutdown(HeapSamplingUnavailableException e) {
        if (e.reason() != Reason.SHUTTING_DOWN) {
            throw e;
        }
    }
}
