// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what others do in their own time, with a deadline far beyond need. */
public final class Until {

    private static final long PAUSE_NANOS = 2_000_000;

    private Until() {}

    /** Asks again and again; returns false if it was never true. */
    public static boolean within(int seconds, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                return condition.call(); // The machine may have stood still since.
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }
}
