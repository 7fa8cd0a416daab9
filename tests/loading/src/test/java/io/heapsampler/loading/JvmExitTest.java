// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The JVM ends while it samples heavily from several threads: with the right exit code, in time and
 * without a crash. The ways that cut threads off are tried some times over, for what goes wrong
 * there does so now and then.
 */
class JvmExitTest {

    private static final int TIMES = "true".equals(System.getenv("HEAPSAMPLER_LONG")) ? 30 : 3;

    private static final int TERMINATED = 128 + 15;

    @TempDir Path folder;

    private Outcome busy(String how, int interval) {
        return new ForkedJvm(folder).main(Busy.class.getName(), how, Integer.toString(interval));
    }

    private Outcome busy(String how) {
        return busy(how, 256);
    }

    @ParameterizedTest
    @CsvSource({"return, 0", "exit, 7", "halt, 7", "exit-while-controlled, 7"})
    void endsInTime(String how, int code) {
        for (int i = 0; i < TIMES; i++) {
            assertThat(busy(how).assertExit(code).output()).isBlank();
        }
    }

    /**
     * When main returns, its thread leaves the JVM and comes back as a new one to destroy it. The
     * object for that new thread is allocated by a thread that has none yet, and is sampled here.
     */
    @ParameterizedTest
    @CsvSource({"return, 0", "throw, 1", "exit, 7"})
    void everyAllocationIsSampled(String how, int code) {
        busy(how, 0).assertExit(code);
    }

    @Test
    void uncaughtException() {
        assertThat(busy("throw").assertExit(1).output()).contains("IllegalStateException: as told");
    }

    @Test
    void termination() {
        busy("terminate").assertExit(TERMINATED);
    }

    @Test
    void stopInShutdownHook() {
        assertStopped(busy("stop-in-hook").assertExit(Busy.CODE));
    }

    @Test
    void snapshotInShutdownHook() {
        Outcome outcome = busy("snapshot-in-hook").assertExit(Busy.CODE);
        assertThat(outcome.value("samples")).isEqualTo("true");
    }

    @Test
    void stopInTheLastThread() {
        assertStopped(busy("stop-after-main").assertExit(0));
    }

    @Test
    void endUnderCheckJni() {
        Outcome outcome =
                new ForkedJvm(folder)
                        .flags("-Xcheck:jni")
                        .main(Busy.class.getName(), "exit-while-controlled", "256");
        outcome.assertExit(Busy.CODE);
    }

    private static void assertStopped(Outcome outcome) {
        assertThat(outcome.value("state")).isEqualTo("STOPPED");
        assertThat(outcome.value("sampling")).isEqualTo("false");
    }
}
