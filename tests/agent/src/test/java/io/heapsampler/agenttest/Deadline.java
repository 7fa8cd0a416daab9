// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agenttest;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Until;
import java.util.concurrent.Callable;

/** Waits for what an application does. */
final class Deadline {

    /** Only for what hangs. */
    private static final int SECONDS = 60;

    private Deadline() {}

    /** Returns when it is so, or when the application has ended; fails when the time is over. */
    static void await(Process process, Callable<Boolean> condition) throws Exception {
        assertThat(Until.within(SECONDS, () -> !process.isAlive() || condition.call()))
                .as("came within %d s", SECONDS)
                .isTrue();
    }
}
