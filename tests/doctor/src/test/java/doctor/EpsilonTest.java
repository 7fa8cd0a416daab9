// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Inside;
import io.heapsampler.support.Jdk;
import io.heapsampler.support.Wanted;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** A collector that never collects: the doctor watches nevertheless, and has nothing to say. */
class EpsilonTest {

    private static final String CASE = "native-healthy";
    private static final List<String> FLAGS = List.of("-XX:+UseEpsilonGC", "-Xmx1g");

    @TestFactory
    Stream<DynamicTest> theDoctorWatchesWhereNothingIsCollected() throws Exception {
        Wanted wanted = Wanted.by("doctor.cells");
        ForkedJvm jvm = new ForkedJvm();
        List<DynamicTest> tests = new ArrayList<>();
        for (Jdk jdk : Jdk.all()) {
            String name = jdk.feature() + "-epsilon-" + CASE;
            if (wanted.includes(name)) {
                Future<Outcome> outcome =
                        jvm.start(
                                name,
                                jdk,
                                FLAGS,
                                System.getProperty("java.class.path"),
                                CaseMain.class.getName(),
                                CASE,
                                String.valueOf(Tier.current().seconds()),
                                name + ".timeline");
                tests.add(DynamicTest.dynamicTest(name, () -> check(name, jvm, outcome.get())));
            }
        }
        return tests.stream();
    }

    private static void check(String name, ForkedJvm jvm, Outcome outcome) throws Exception {
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isZero();
        assertThat(outcome.warnings())
                .as("worse than information at some time, in\n%s", outcome)
                .isEmpty();
        assertThat(outcome.output()).contains(", Epsilon, JDK ");
        Path file = jvm.folder().resolve(name + ".timeline");
        assertThat(Inside.ticks(file)).hasSizeGreaterThan(1);
        assertThat(Inside.causes(file)).as("in %s", file).isEmpty();
    }
}
