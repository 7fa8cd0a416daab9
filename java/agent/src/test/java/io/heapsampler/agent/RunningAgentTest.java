// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The pauses of the writer. */
class RunningAgentTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void thePauseIsLongerThanRequestedIfWritingIsSlow() {
        assertThat(RunningAgent.pause(SECOND, Duration.ofMillis(90), 10)).isEqualTo(SECOND);
        assertThat(RunningAgent.pause(SECOND, Duration.ofMillis(500), 10)).hasSeconds(5);
        assertThat(RunningAgent.pause(SECOND, Duration.ofMillis(90), 100)).hasSeconds(9);
        assertThat(RunningAgent.pause(SECOND, Duration.ofMinutes(1), 0)).isEqualTo(SECOND);
    }
}
