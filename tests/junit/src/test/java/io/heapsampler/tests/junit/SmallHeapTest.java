// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.support.JvmProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Files of a failing test whose stacks are many and deep, in a JVM with a small heap. */
@Tag("once")
class SmallHeapTest {

    /** Stacks of this many frames, of which no two are equal. */
    private static final int DEPTH = 180;

    private static final int STACKS = 2_000;

    /** As a parser of a language does. */
    static class Deep {
        @Test
        @MaxAllocation(value = "1 KB", types = byte[].class, warmup = 0, minOf = 1)
        void fails() {
            for (int path = 0; path < STACKS; path++) {
                even(path, DEPTH);
            }
        }

        private static void even(int path, int depth) {
            if (depth == 0) {
                Sink.last = new byte[16];
            } else if ((path >> depth % 13 & 1) == 0) {
                even(path, depth - 1);
            } else {
                oddAndOfALongNameThatTakesItsRoomInEachLineOfAFile(path, depth - 1);
            }
        }

        private static void oddAndOfALongNameThatTakesItsRoomInEachLineOfAFile(
                int path, int depth) {
            if (depth == 0) {
                Sink.last = new byte[16];
            } else if ((path >> depth % 13 & 1) == 0) {
                even(path, depth - 1);
            } else {
                oddAndOfALongNameThatTakesItsRoomInEachLineOfAFile(path, depth - 1);
            }
        }
    }

    /** Runs the test and prints how it ended. */
    static final class Main {
        public static void main(String[] arguments) {
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selectClass(Deep.class))
                                    .configurationParameter(
                                            "junit.platform.reporting.output.dir", arguments[0])
                                    .configurationParameters(
                                            Map.of(
                                                    "heapsampler.junit.artifacts.limit",
                                                    "1 GB",
                                                    "heapsampler.junit.artifacts.testLimit",
                                                    arguments[1],
                                                    "heapsampler.junit.artifacts.formats",
                                                    "collapsed, json"))
                                    .build(),
                            new Printer());
        }
    }

    private static final class Printer implements TestExecutionListener {
        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            result.getThrowable()
                    .ifPresent(e -> System.out.println(test.getDisplayName() + ": " + e));
        }

        @Override
        public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
            entry.getKeyValuePairs().forEach((key, text) -> System.out.println(key + " " + text));
        }
    }

    private static String run(Path directory, String limit) throws Exception {
        JvmProcess.End end =
                ForkedJvm.run(
                        List.of(
                                "-Xmx40m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                directory.toString(),
                                limit));
        assertThat(end.code()).as(end.output()).isZero();
        assertThat(end.output())
                .contains("fails(): org.opentest4j.AssertionFailedError: Deep.fails() allocated")
                .contains("heapsampler @MaxAllocation(\"1 KB\") FAILED: ");
        return end.output();
    }

    @Test
    void verdictIsGivenThoughFilesAreLargerThanTheHeap(@TempDir Path directory) throws Exception {
        run(directory, "1 GB");
    }

    @Test
    void omittedObjectsAreNamedAndLoggedOnce(@TempDir Path directory) throws Exception {
        String output = run(directory, "8 MB");

        assertThat(output)
                .contains(
                        "heapsampler heap-MaxAllocation-1-KB.collapsed not written: with it, files"
                            + " would be larger than heapsampler.junit.artifacts.testLimit allows")
                .containsOnlyOnce("of Deep.fails() was not written: with it,");
        assertThat(directory)
                .isDirectoryRecursivelyContaining(path -> path.toString().endsWith(".json"))
                .isDirectoryNotContaining("glob:**/*.collapsed");
    }
}
