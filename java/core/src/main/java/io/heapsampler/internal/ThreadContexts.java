// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** How the engine reads the contexts that an SDK of OpenTelemetry shares for its threads. */
public final class ThreadContexts {

    /** The position of the number in the figures of {@link NativeBindings#status()}. */
    public static final int FIGURE = 15;

    private static final int READ = 1;

    /** By the number: enum hs_otel_state. */
    private static final List<String> TEXTS =
            List.of(
                    "none",
                    "read",
                    "ignored, because a library shares it in an unknown version",
                    "ignored, because the system does not allow process_vm_readv",
                    "ignored, because threadlocal.schema_version of the process context is"
                            + " unknown");

    private static final AtomicBoolean IS_LOGGED = new AtomicBoolean();

    private ThreadContexts() {}

    /** Returns {@code none}, {@code read}, or {@code ignored} and why. */
    public static String text(long number) {
        return TEXTS.get((int) number);
    }

    /** Logs a detail, once in the life of the process, if there are contexts that are ignored. */
    static void logIfIgnored() {
        long number = IS_LOGGED.get() ? READ : NativeBindings.status()[FIGURE];
        if (number > READ && !IS_LOGGED.getAndSet(true)) {
            Log.debug("The thread context of OpenTelemetry is " + text(number), null);
        }
    }
}
