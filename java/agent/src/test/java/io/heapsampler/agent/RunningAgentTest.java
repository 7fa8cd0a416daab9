// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.agent.OptionReader.Placeholders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    /** The doctor does not wait for the samples. */
    @Test
    void anAgentThatEndsBeforeItSamplesStillWritesTheDiagnosis(@TempDir Path folder)
            throws Exception {
        Path file = folder.resolve("doctor.txt");
        String argument = "recorder=none,sample.delay.secs=600,doctor=true,doctorFile=" + file;
        RunningAgent agent =
                RunningAgent.start(
                        new AgentOptions(
                                OptionReader.read(
                                        argument, new Properties(), Map.of(), Placeholders.now())));
        agent.detach();

        assertThat(file).isNotEmptyFile();
    }
}
