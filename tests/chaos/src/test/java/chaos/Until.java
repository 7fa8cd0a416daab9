// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what others do in their own time, with a deadline far beyond need. */
final class Until {

    private static final long PAUSE_NANOS = 2_000_000;

    private Until() {}

    /** Asks again and again; returns false if it was never true. */
    static boolean within(int seconds, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }

    /** Lets the given time pass; returns early if a crew member has failed. */
    static void passed(long seconds, Crew crew) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() - deadline < 0 && !crew.hasFailed()) {
            LockSupport.parkNanos(10 * PAUSE_NANOS);
        }
    }
}
