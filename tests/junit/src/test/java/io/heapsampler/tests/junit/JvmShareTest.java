// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.Code;
import io.heapsampler.support.JvmProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What the JVM itself allocates on a first run is set aside, and nothing that the code does. A
 * first run happens once in a JVM: here in one of its own, for all cases.
 */
class JvmShareTest {

    private static final String END = "end";

    /** Runs all cases and prints those that are judged wrongly. */
    static final class Main {

        private Main() {}

        public static void main(String[] args) throws IOException {
            // what an assertion loads itself is not the question here
            assertAllocations(() -> Sink.last = new Object()).atMost("1 KB");
            int count = 0;
            for (Map.Entry<String, FirstRunCases.Kept> each : FirstRunCases.kept().entrySet()) {
                String problem = problem(each.getValue().code(), each.getValue().limit());
                if (!problem.isEmpty()) {
                    System.out.println("FAILED " + each.getKey() + ": " + problem);
                }
                count++;
            }
            for (Map.Entry<String, Code> each : AllocatingCases.beyond().entrySet()) {
                if (problem(each.getValue(), "0 B").isEmpty()) {
                    System.out.println("PASSED " + each.getKey());
                }
                count++;
            }
            for (Map.Entry<String, LargeFirstRuns.Beyond> each : LargeFirstRuns.all().entrySet()) {
                if (problem(each.getValue().code(), each.getValue().limit()).isEmpty()) {
                    System.out.println("PASSED " + each.getKey());
                }
                count++;
            }
            System.out.println(count + " " + END);
        }

        private static String problem(Code code, String limit) {
            AllocationAssert assertion = assertAllocations(code);
            try {
                assertion.atMost(limit);
                return "";
            } catch (AssertionError e) {
                return String.valueOf(e.getMessage());
            }
        }
    }

    @Test
    void firstRunsAreJudgedAsLaterOnesWouldBe() throws Exception {
        List<String> command = new ArrayList<>();
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add("-Xbatch"); // code is compiled where it is called often enough
        command.add(Main.class.getName());
        JvmProcess.End end = ForkedJvm.run(command);

        assertThat(end.output()).doesNotContain("FAILED", "PASSED").contains(END);
        assertThat(end.code()).isZero();
    }
}
