// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.support.Jdk;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The table of causes is that of each JDK, as far as the JVM's library tells. */
class CausesTest {

    /** Those that every JDK has; there are more of them. */
    private static final int LEAST = 12;

    @TestFactory
    Stream<DynamicTest> eachJvmHasTheCausesThatItShouldHave() throws Exception {
        assumeTrue(System.getProperty("doctor.cells", "").isEmpty(), "only some cells are wanted");
        ForkedJvm jvm = new ForkedJvm();
        List<DynamicTest> tests = new ArrayList<>();
        for (Jdk jdk : Jdk.all()) {
            String name = jdk.feature() + "-causes";
            Future<Outcome> outcome =
                    jvm.start(
                            name,
                            jdk,
                            List.of(),
                            System.getProperty("java.class.path"),
                            CausesMain.class.getName());
            tests.add(DynamicTest.dynamicTest(name, () -> check(outcome.get())));
        }
        return tests.stream();
    }

    private static void check(Outcome outcome) {
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isZero();
        List<String> causes =
                outcome.output().lines().filter(line -> line.startsWith("cause ")).toList();
        assertThat(causes).hasSizeGreaterThan(LEAST).allMatch(line -> line.contains(" right "));
    }
}
