// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is written when a JVM runs out of memory, on each JDK in the long tier; and that it ends as
 * it would else.
 */
class OutOfMemoryTest {

    private static final int EXITED_BY_JVM = 3;

    @TempDir Path folder;

    static List<Jdk> jdks() {
        return Jdk.due();
    }

    private Path report() {
        return folder.resolve("oom.txt");
    }

    private Outcome exhaust(Jdk jdk, String what, String... flags) {
        return new ForkedJvm(jdk, folder)
                .flags("-Xmx64m")
                .flags(flags)
                .main(OutOfMemory.class.getName(), what, report().toString());
    }

    /** 64 MB of arrays, sampled nearly all, less what else is in the heap. */
    private void assertTells(String reason) throws IOException {
        String text = Files.readString(report());
        assertThat(text)
                .startsWith("HeapSampler: the JVM ran out of memory at 20")
                .contains("Z: " + reason + "\n")
                .containsPattern("Estimated live memory: [3-9]\\d{7} bytes, from \\d+ samples")
                .containsPattern(
                        " of byte\\[]\n"
                                + " +at io\\.heapsampler\\.loading\\.OutOfMemory\\.leak:\\d+\n");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void reportsWhatHeldTheHeapAndTheApplicationGoesOn(Jdk jdk) throws IOException {
        Outcome outcome = exhaust(jdk, "heap").assertExit(OutOfMemory.CODE);
        assertThat(outcome.value("survived")).isEqualTo("true");
        assertTells("Java heap space");
    }

    /** The JVM reports that as well, but no memory is short then. */
    @Test
    void anArrayThatIsTooLongForAnyHeapIsNotTheEndOfMemory() throws IOException {
        Outcome outcome = exhaust(Jdk.own(), "array,heap").assertExit(OutOfMemory.CODE);
        assertThat(outcome.value("refused"))
                .isEqualTo("Requested array size exceeds VM limit, and no report");
        assertTells("Java heap space");
    }

    @Test
    void reportsMetaspaceToo() throws IOException {
        exhaust(Jdk.own(), "metaspace", "-XX:MaxMetaspaceSize=24m", "-Xcheck:jni")
                .assertExit(OutOfMemory.CODE);
        assertThat(Files.readString(report()))
                .containsPattern(": (Metaspace|Compressed class space)\n");
    }

    /** The JVM reports nothing then; what matters is that it ends at once, with its own code. */
    @ParameterizedTest
    @MethodSource("jdks")
    void doesNotHoldUpAnExitByTheJvm(Jdk jdk) {
        exhaust(jdk, "heap", "-XX:+ExitOnOutOfMemoryError").assertExit(EXITED_BY_JVM);
        assertThat(report()).doesNotExist();
    }

    @Test
    void aReportThatCannotBeWrittenChangesNothingAndIsReported() throws IOException {
        Outcome outcome = exhaust(Jdk.own(), "folder,heap").assertExit(OutOfMemory.CODE);
        assertThat(outcome.output())
                .contains(
                        "HeapSampler: no report on out-of-memory in "
                                + report()
                                + ": it is no regular file. Name a file of this user's own, in a"
                                + " folder that others cannot write to.\n");
    }

    @Test
    void whatALinkLeadsToIsLeftAlone() throws IOException {
        Path precious = Files.writeString(folder.resolve("precious"), "precious");
        Outcome outcome = exhaust(Jdk.own(), "link,heap").assertExit(OutOfMemory.CODE);
        assertThat(outcome.output()).contains(": it has another name, too (a hard link).");
        assertThat(precious).hasContent("precious");
    }

    @Test
    void anAgentReportsWithoutAnyJavaClass() throws IOException {
        Path library = Core.libraryIn(folder.resolve("library"));
        new ForkedJvm(folder)
                .flags("-Xmx64m", "-agentpath:" + library + "=interval=8k,reportOnOom=" + report())
                .main(OutOfMemory.class.getName(), "heap", "-")
                .assertExit(OutOfMemory.CODE);
        assertTells("Java heap space");
    }
}
