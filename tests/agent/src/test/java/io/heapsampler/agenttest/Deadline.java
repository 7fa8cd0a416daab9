// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agenttest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;

/** Waits for what an application does. */
final class Deadline {

    /** Only for what hangs. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private Deadline() {}

    /** Returns when it is so, or when the application has ended; fails when the time is over. */
    static void await(Process process, Callable<Boolean> condition) throws Exception {
        Instant end = Instant.now().plus(LONGEST);
        while (process.isAlive() && !condition.call()) {
            assertThat(Instant.now()).as("nothing came").isBefore(end);
            Thread.sleep(20);
        }
    }
}
