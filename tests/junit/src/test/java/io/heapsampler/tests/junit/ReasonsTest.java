// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.HeapRecording;
import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.AllocationBaseline;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxAllocation;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/** Why an assertion has no verdict, or not the expected one: whole messages. */
@Tag("once")
class ReasonsTest {

    @TempDir Path directory;

    private static void nothing() {}

    private static AllocationAssert code() {
        return assertAllocations(ReasonsTest::nothing);
    }

    static class TwiceInherited {
        @Test
        @MaxAllocation(value = "1 MB", threads = ThreadScope.INHERITED, types = byte[].class)
        @MaxAllocation(value = "1 MB", threads = ThreadScope.INHERITED, types = char[].class)
        void test() {}
    }

    @Test
    void onlyOneLimitCanBeInherited() {
        assertThat(Kit.problem(TwiceInherited.class))
                .hasMessage(
                        "@MaxAllocation(\"1 MB\") of TwiceInherited.test() was not measured. Only"
                                + " one limit with threads = INHERITED can observe a run. Give each"
                                + " a test of its own.");
    }

    /** Counting is switched off while a test is measured, as by the library that it tests. */
    static class SwitchesOff {

        static void count(boolean isOn) {
            ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
                    .setThreadAllocatedMemoryEnabled(isOn);
        }

        @AfterEach
        void switchOn() {
            count(true);
        }

        @Test
        @MaxAllocation("64 KB")
        void test() {
            count(false);
            Sink.kilobytes(100);
        }
    }

    @Test
    void countIsSwitchedOff() {
        assertThat(Kit.problem(SwitchesOff.class))
                .hasMessage(
                        "@MaxAllocation(\"64 KB\") of SwitchesOff.test() was not measured. The JVM"
                                + " stopped counting allocated bytes during the run. Let nothing"
                                + " call ThreadMXBean.setThreadAllocatedMemoryEnabled(false).");
    }

    @Test
    void probeIsSwitchedOff() {
        AllocationProbe probe = AllocationProbe.ofThread();
        SwitchesOff.count(false);
        try {
            assertThatThrownBy(probe::bytes)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "The JVM stopped counting allocated bytes during the run. Let nothing"
                                    + " call ThreadMXBean.setThreadAllocatedMemoryEnabled(false).");
        } finally {
            SwitchesOff.count(true);
        }
    }

    static class Compared {

        @Test
        @AllocationBaseline
        void test() {
            Sink.kilobytes(10);
        }
    }

    private Path file() {
        return directory.resolve(Compared.class.getName() + ".txt");
    }

    @Test
    void baselineCannotBeWritten() throws IOException {
        Path noDirectory = Files.createFile(directory.resolve("file"));

        assertThat(Kit.problems(Kit.runWithBaselines(noDirectory, true, Compared.class)))
                .singleElement()
                .satisfies(
                        problem ->
                                assertThat(problem)
                                        .hasMessage(
                                                "@AllocationBaseline of Compared.test() was not"
                                                        + " measured. The file "
                                                        + noDirectory.resolve(file().getFileName())
                                                        + " cannot be written:"
                                                        + " java.nio.file.FileAlreadyExistsException:"
                                                        + " "
                                                        + noDirectory
                                                        + ". Correct its permissions, or set"
                                                        + " heapsampler.junit.baseline.directory."));
    }

    @Test
    void baselineWithEntriesOfTestsThatAreGone() throws IOException {
        String gone = Compared.class.getName() + ".gone()";
        Files.writeString(file(), gone + " @17 = 16\n");

        EngineExecutionResults results = Kit.runWithBaselines(directory, true, Compared.class);

        assertThat(Kit.entries(results))
                .contains(
                        "'PASSED: wrote 10,160 bytes to "
                                + file()
                                + "; "
                                + file()
                                + " has entries of tests that do not exist: "
                                + gone
                                + "'");
    }

    @ExtendWith(HeapSamplerExtension.class)
    static class RecordedElsewhere {
        @Test
        @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
        void test(HeapRecording recording) {}
    }

    @Test
    void recordingIsOfAnotherThread() {
        assertThat(Kit.problem(RecordedElsewhere.class).getMessage())
                .matches(
                        "The parameter HeapRecording of RecordedElsewhere\\.test\\(HeapRecording\\)"
                                + " records the thread \"[^\"]+\", but the test runs in"
                                + " \"junit-timeout-thread-\\d+\"\\. Remove @Timeout\\(threadMode ="
                                + " SEPARATE_THREAD\\), or open a recording in the test with"
                                + " HeapSampler\\.record\\.");
    }

    @Test
    void probeIsOfAnotherThread() throws Exception {
        AllocationProbe probe = AllocationProbe.ofThread();
        FutureTask<Long> other = new FutureTask<>(probe::bytes);
        new Thread(other, "other").start();

        assertThatThrownBy(other::get)
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "This probe counts the bytes of the thread \""
                                + Thread.currentThread().getName()
                                + "\", but was read in \"other\". Create a probe in the thread"
                                + " whose bytes you count.");
    }

    @Test
    void wrongArguments() {
        AllocationAssert code = code();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> code.allowing(" ", "com.acme"))
                .withMessage("allowing needs a reason: why is this no leak?");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> code.warmup(-1))
                .withMessage("warmup must be 0 or more, but is -1.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> code.minOf(0))
                .withMessage("minOf must be 1 or more, but is 0.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> code.threads(ThreadScope.INHERITED).leavesBehindAtMost("1 KB"))
                .withMessage(
                        "threads = INHERITED is for allocations. Objects that stay alive are summed"
                                + " up by site, whichever thread allocated them. Use TEST or ALL.");
    }
}
