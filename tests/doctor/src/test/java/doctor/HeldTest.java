// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Jdk;
import io.heapsampler.support.Wanted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A leak opens a second time, with the reference that holds it; before a merge on one JDK. Not on
 * ZGC: its heap is walked in short stops, which find nothing in 20 s while the heap is nearly full.
 */
class HeldTest {

    @TestFactory
    Stream<DynamicTest> theDoctorSaysWhichReferenceHoldsALeak() throws Exception {
        Wanted wanted = Wanted.by("doctor.cells");
        ForkedJvm jvm = new ForkedJvm();
        List<DynamicTest> tests = new ArrayList<>();
        for (Jdk jdk : Jdk.all()) {
            for (Gc gc : Gc.of(jdk.feature())) {
                String name = jdk.feature() + "-" + gc.label() + "-held";
                if (gc == Gc.ZGC || gc == Gc.ZGC_GENERATIONAL) {
                    continue;
                }
                boolean isDue = Tier.current() == Tier.LONG || name.equals("25-g1-held");
                if (wanted.isAll() ? isDue : wanted.includes(name)) {
                    Future<Outcome> outcome = start(jvm, name, jdk, gc);
                    tests.add(DynamicTest.dynamicTest(name, () -> check(outcome.get())));
                }
            }
        }
        return tests.stream();
    }

    private static Future<Outcome> start(ForkedJvm jvm, String name, Jdk jdk, Gc gc) {
        List<String> flags = new ArrayList<>(gc.flags());
        flags.add("-Xmx256m");
        String classPath = System.getProperty("java.class.path");
        return jvm.start(name, jdk, flags, classPath, HeldMain.class.getName());
    }

    private static void check(Outcome outcome) {
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isZero();
        // The dot before "element" stands for an arrow, which some character sets lack.
        assertThat(outcome.output())
                .containsPattern(
                        "held: static field doctor\\.HeldMain\\.LEAKED . element of ArrayList holds"
                                + " (9\\d|100) % of the live bytes of these sites, by [\\d,]+"
                                + " samples\\.")
                .containsPattern("held: The search for holders stopped the application for \\d")
                .containsPattern("opened: [2-9]");
    }
}
