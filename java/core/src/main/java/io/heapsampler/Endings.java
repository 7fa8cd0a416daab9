// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.HeapSamplingUnavailableException.Reason;

/** Ends what was begun, where that itself may fail. */
final class Endings {

    private Endings() {}

    /** Ends something, unless the JVM is ending: then there is nothing left to end. */
    static void unlessShuttingDown(Runnable ending) {
        try {
            ending.run();
        } catch (HeapSamplingUnavailableException e) {
            if (e.reason() != Reason.SHUTTING_DOWN) {
                throw e;
            }
        }
    }

    /** Ends something because of a failure, which is the one to tell of. */
    static void afterFailure(Throwable failure, Runnable ending) {
        try {
            ending.run();
        } catch (RuntimeException | Error later) {
            failure.addSuppressed(later);
        }
    }
}
