// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * The logger {@code io.heapsampler}. It is looked up when there is something to say: in an agent
 * that would otherwise set up the logging before the application can say which it wants.
 */
public final class Log {

    private static final String NAME = "io.heapsampler";

    private Log() {}

    /**
     * Logs what the operator should know.
     *
     * @param message what happened, why, and what to do
     */
    public static void warn(String message) {
        System.getLogger(NAME).log(Level.WARNING, message);
    }

    /**
     * Logs a detail that helps only to find a fault.
     *
     * @param message what happened
     * @param cause why; null if that is not known
     */
    public static void debug(String message, @Nullable Throwable cause) {
        System.getLogger(NAME).log(Level.DEBUG, message, cause);
    }
}
