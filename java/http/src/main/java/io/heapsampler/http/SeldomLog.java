// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs events that clients can cause at any rate: one line a minute at most, with the number of
 * events since the line before. Thread-safe.
 */
final class SeldomLog {

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private boolean hasLogged;
    private long lastNanos;
    private long leftOut;

    SeldomLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void warn(String message, @Nullable Throwable cause) {
        long others = count();
        String more = " Not logged since the last such line: " + others + ".";
        if (others >= 0) {
            logger().log(Level.WARNING, others == 0 ? message : message + more, cause);
        }
    }

    /** Returns how many were left out since the last line; -1 if this one is left out as well. */
    private synchronized long count() {
        long now = nanoTime.getAsLong();
        if (hasLogged && now - lastNanos < MINUTE) {
            leftOut++;
            return -1;
        }
        long others = leftOut;
        hasLogged = true;
        lastNanos = now;
        leftOut = 0;
        return others;
    }

    /**
     * Returns the log of this module, which may change until the application has set up its
     * logging: do not keep it.
     */
    static System.Logger logger() {
        return System.getLogger("io.heapsampler.http");
    }
}
