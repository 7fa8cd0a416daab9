// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.heapsampler.support.Jdk;
import io.heapsampler.support.MemoryGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process that is killed for its memory leaves the reason behind: what leaked, and who held it.
 */
class NearLimitTest {

    private static final int KILLED = 128 + 9;
    private static final long CONTAINER = 256L << 20;

    @TempDir Path folder;

    static List<Jdk> jdks() {
        return Jdk.due();
    }

    private Path report() {
        return folder.resolve("near.txt");
    }

    private String assertReported(Outcome outcome, String passed) throws IOException {
        outcome.assertExit(KILLED);
        String text = Files.readString(report());
        assertThat(text)
                .startsWith("HeapSampler: memory is near its limit at 20")
                .containsPattern("\nPassed " + passed + " uses ([5-9]\\d|100)")
                .containsPattern(
                        " of byte\\[]\n"
                            + " +at io\\.heapsampler\\.loading\\.Leak\\.leak\\(Leak\\.java:\\d+\\)\n")
                .contains(": static field io.heapsampler.loading.Leak.held\n");
        assertThat(outcome.output())
                .containsOnlyOnce("Memory is near its limit: the ")
                .contains(" are in " + report() + ", and soon what holds them.");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).noneMatch(each -> each.toString().endsWith(".part"));
        }
        return text;
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aKilledProcessLeavesWhoHeldItsHeap(Jdk jdk) throws IOException {
        Outcome outcome =
                new ForkedJvm(jdk, folder)
                        .flags("-Xmx64m")
                        .classPath(Core.path(), Core.testClasses(), Core.support())
                        .main(Leak.class.getName(), "heap", report().toString());
        assertReported(outcome, "60\\.0 %: the (heap|old generation)");
    }

    @Test
    void aKilledContainerLeavesThatItsHeapWasSmall() throws IOException {
        try (MemoryGroup group = groupOrNoTest()) {
            group.limit(CONTAINER);
            Outcome outcome =
                    new ForkedJvm(folder)
                            .flags("-Xmx64m", "-XX:MaxDirectMemorySize=200m")
                            .classPath(Core.path(), Core.testClasses(), Core.support())
                            .through(group.command())
                            .main(Leak.class.getName(), "direct", report().toString());
            String text = assertReported(outcome, "50\\.0 %: the container");
            assertThat(text)
                    .containsPattern(" of its limit, \\d+(\\.\\d)? MiB of 256 MiB\\.\n")
                    .containsPattern("\nBeside it: the (heap|old generation) uses ")
                    .containsPattern("Direct buffers take \\d{2,3} MiB\\.\n");
        }
    }

    private static MemoryGroup groupOrNoTest() {
        try {
            return MemoryGroup.make();
        } catch (IOException e) {
            String why = "no memory cgroup can be made here: " + e;
            System.out.println(why);
            return abort(why);
        }
    }
}
