// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.util.function.IntConsumer;

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

    /**
     * Ends what has this number because of a failure, which is the one to tell of. The ending must
     * be made before there is something to end: in a full heap there is no room for it.
     */
    static void afterFailure(Throwable failure, IntConsumer ending, int handle) {
        try {
            ending.accept(handle);
        } catch (RuntimeException | Error later) {
            failure.addSuppressed(later);
        }
    }
}
