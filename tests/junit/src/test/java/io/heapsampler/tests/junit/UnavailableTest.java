// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapRecording;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.junit.AllocationBaseline;
import io.heapsampler.junit.HeapSamplerExtension;
import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.MaxRetained;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.junit.NoLeaks;
import io.heapsampler.support.JvmProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/** Without a sampler nothing passes that was not measured, and what is counted still is. */
@Tag("once")
class UnavailableTest {

    static class Cases {

        @Test
        @MaxRetained("1 KB")
        void notMeasured() {
            Sink.kilobytes(1);
        }

        @Test
        @NoLeaks
        void leaks() {
            Sink.kilobytes(1);
        }

        @Test
        @NoLeaks(classLoaders = true)
        void leavesLoaders() {
            Sink.kilobytes(1);
        }

        @Test
        @MaxAllocation(value = "1 MB", types = byte[].class)
        void ofAType() {
            Sink.kilobytes(1);
        }

        @Test
        @NoAllocation(types = byte[].class)
        void noneOfAType() {}

        @Test
        @MaxAllocation(value = "1 MB", threads = ThreadScope.INHERITED)
        void inherited() {
            Sink.kilobytes(1);
        }

        @Test
        @AllocationBaseline(file = "target/no-baseline-needed.txt")
        void baseline() {
            Sink.kilobytes(1);
        }

        @Test
        @ExtendWith(HeapSamplerExtension.class)
        void recorded(HeapRecording recording) {}

        @Test
        @MaxAllocation("1 MB")
        void counted() {
            Sink.kilobytes(1);
        }

        @Test
        @MaxAllocation("1 KB")
        void countedAndBeyond() {
            Sink.kilobytes(10);
        }

        @Test
        @MaxAllocation(value = "1 KB", warmup = 1)
        void countedLater() {
            Sink.kilobytes(10);
        }
    }

    /** Runs the cases with each policy, in a JVM that finds no library. */
    static final class Main {

        private Main() {}

        public static void main(String[] args) {
            for (String policy : List.of("fail", "abort", "ignore")) {
                EngineExecutionResults results =
                        Kit.run(
                                Map.of(
                                        "heapsampler.junit.whenNotMeasured",
                                        policy,
                                        "heapsampler.junit.update",
                                        "true"),
                                Cases.class);
                System.out.println("== " + policy);
                Kit.problems(results).forEach(System.out::println);
                System.out.println(Kit.entries(results));
            }
        }
    }

    private static String output(String flag) throws Exception {
        JvmProcess.End end =
                ForkedJvm.run(
                        List.of(
                                "-cp",
                                System.getProperty("java.class.path"),
                                flag,
                                Main.class.getName()));
        assertThat(end.code()).as(end.output()).isZero();
        return end.output();
    }

    @Test
    void policyDecides() throws Exception {
        assertNothingPasses(
                output("-Dheapsampler.library.path=/no/such/library.so"), "LIBRARY_NOT_LOADED: ");
    }

    @Test
    void samplingThatAnotherAgentHasIsNoSilentPass() throws Exception {
        Path agent = Path.of(System.getProperty("hstest.library")).resolveSibling("libhschaos.so");
        assertNothingPasses(
                output("-agentpath:" + agent + "=owns"),
                "OWNED_BY_OTHER: Heap sampling is already in use in this JVM by another agent");
    }

    private static void assertNothingPasses(String text, String why) {
        String fail = text.substring(text.indexOf("== fail"), text.indexOf("== abort"));
        String abort = text.substring(text.indexOf("== abort"), text.indexOf("== ignore"));
        String ignore = text.substring(text.indexOf("== ignore"));

        for (String rule :
                List.of(
                        "@MaxRetained(\"1 KB\") of Cases.notMeasured()",
                        "@NoLeaks of Cases.leaks()",
                        "@NoLeaks(classLoaders = true) of Cases.leavesLoaders()",
                        "@MaxAllocation(\"1 MB\") of Cases.ofAType()",
                        "@NoAllocation of Cases.noneOfAType()",
                        "@MaxAllocation(\"1 MB\") of Cases.inherited()")) {
            String reason = rule + " was not measured. " + why;
            assertThat(fail).contains("org.opentest4j.AssertionFailedError: " + reason);
            assertThat(abort).contains("ABORTED: " + reason);
            if (!rule.contains("classLoaders")) { // the first rule of a test is thrown
                assertThat(abort).contains("org.opentest4j.TestAbortedException: " + reason);
            }
            assertThat(ignore).doesNotContain("Error: " + reason);
            assertThat(ignore).contains("NOT_MEASURED: " + reason);
        }
        String noRecording = "No recording can be opened for the parameter HeapRecording: " + why;
        assertThat(fail)
                .contains(": " + noRecording)
                .doesNotContain("AbortedException: " + noRecording);
        assertThat(abort).contains("TestAbortedException: " + noRecording);
        assertThat(ignore).contains("TestAbortedException: " + noRecording);
        for (String each : List.of(fail, abort, ignore)) {
            assertThat(each)
                    .contains("PASSED: 1,016 bytes of at most 1 MB")
                    .contains("ABORTED: @AllocationBaseline of Cases.baseline() was not measured.")
                    .contains(
                            "org.opentest4j.TestAbortedException: @MaxAllocation(\"1 KB\") of"
                                    + " Cases.countedAndBeyond() was not measured. 10,160 bytes"
                                    + " were allocated, and without a recording it is unknown how"
                                    + " much of that the JVM itself allocated on this first run."
                                    + " Look up in HeapSampler.status() why there is no recording,"
                                    + " or have a later run judged: warmup = 1 at"
                                    + " @AllocationTest.\n")
                    .contains("countedLater() allocated 10,160 bytes, limit 1 KB")
                    .contains(
                            "\nNo sites, because no recording could be opened: see"
                                    + " HeapSampler.status() and the log of io.heapsampler.\n");
        }
    }
}
