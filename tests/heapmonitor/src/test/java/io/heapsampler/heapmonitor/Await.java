// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import io.heapsampler.support.Until;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what the JVM does in its own time, with a deadline far beyond need. */
final class Await {

    private static final int PATIENCE_SECONDS = 120;

    private Await() {}

    /** Asks again and again until the answer is yes. */
    static void until(String what, Callable<Boolean> condition) throws Exception {
        if (!Until.within(PATIENCE_SECONDS, condition)) {
            fail("not within " + PATIENCE_SECONDS + " s: " + what);
        }
    }

    /** Waits until a moment of {@link System#nanoTime()} has passed. */
    static void untilNanos(long moment) {
        for (long left; (left = moment - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
    }

    /** Waits for a thread to end. */
    static void end(Thread thread) throws InterruptedException {
        thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        if (thread.isAlive()) {
            fail(
                    thread
                            + " has not ended; it is in "
                            + java.util.Arrays.toString(thread.getStackTrace()));
        }
    }

    /** Skips the test where nothing is ever collected. */
    static void assumeCollections() {
        assumeFalse(
                HeapSampler.status().collector() == GarbageCollector.EPSILON,
                "Epsilon never collects");
    }
}
