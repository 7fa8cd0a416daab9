// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Jdk;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The doctor outlives the exhaustion of what it watches: its clock goes on, and it answers. */
class ExhaustionTest {

    /**
     * What runs out.
     *
     * @param finding what it finds meanwhile, and notes afterwards; empty if that depends on what
     *     it saw
     */
    private record Kind(String name, String flag, String finding) {}

    /** Shenandoah holds up who allocates in a full heap, the doctor too, for many seconds. */
    private static final int LEAST_TICKS = 3;

    private static final List<Kind> KINDS =
            List.of(
                    new Kind("metaspace", "-XX:MaxMetaspaceSize=32m", "metaspace.leak"),
                    new Kind("heap", "-Xms64m", ""));

    @TestFactory
    Stream<DynamicTest> theDoctorOutlivesIt() throws Exception {
        assumeTrue(System.getProperty("doctor.cells", "").isEmpty(), "only some cells are wanted");
        ForkedJvm jvm = new ForkedJvm();
        List<DynamicTest> tests = new ArrayList<>();
        for (Jdk jdk : Jdk.all()) {
            // Before a merge one collector on each JDK: Parallel, G1, Serial.
            for (Gc gc : Gc.of(jdk.feature())) {
                boolean isDue = gc == Gc.values()[jdk.feature() / 4 % 3];
                for (Kind kind : KINDS) {
                    if (isDue || Tier.current() == Tier.LONG) {
                        tests.add(test(jvm, jdk, gc, kind));
                    }
                }
            }
        }
        return tests.stream();
    }

    private static DynamicTest test(ForkedJvm jvm, Jdk jdk, Gc gc, Kind kind) throws Exception {
        String name = jdk.feature() + "-" + gc.label() + "-exhausted-" + kind.name;
        List<String> flags = new ArrayList<>(gc.flags());
        flags.addAll(List.of("-Xmx64m", kind.flag));
        int least = gc.label().startsWith("shenandoah") ? 1 : LEAST_TICKS;
        Callable<Future<Outcome>> start =
                () ->
                        jvm.start(
                                name,
                                jdk,
                                flags,
                                System.getProperty("java.class.path"),
                                ExhaustionMain.class.getName(),
                                kind.name,
                                Integer.toString(least));
        Future<Outcome> outcome = start.call();
        return DynamicTest.dynamicTest(name, () -> check(outcome.get(), start, kind, least));
    }

    /** What a machine that stands still has kept it from seeing, it sees the next time. */
    private static void check(Outcome first, Callable<Future<Outcome>> again, Kind kind, int least)
            throws Exception {
        checkNothingFailed(first);
        try {
            checkWhatIsSeen(first, kind, least);
        } catch (AssertionError e) {
            Outcome second = again.call().get();
            checkNothingFailed(second);
            checkWhatIsSeen(second, kind, least);
        }
    }

    /** Nothing of ours; the JVM's own threads may run out of memory aloud. */
    private static void checkNothingFailed(Outcome outcome) {
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isZero();
        assertThat(outcome.output())
                .doesNotContain("Exception in thread \"main\"")
                .doesNotContain("Exception in thread \"heapsampler")
                .doesNotContain("\tat io.heapsampler");
    }

    private static void checkWhatIsSeen(Outcome outcome, Kind kind, int least) {
        assertThat(outcome.output())
                .as("its clock goes on meanwhile, and when there is room again")
                .containsPattern("ticks during ([" + least + "-9]|[1-9]\\d+) after [1-9]")
                .as("what it has seen")
                .containsPattern("(?s)ticks during .*ticks during .*Looked for and not found");
        if (!kind.finding.isEmpty()) {
            assertThat(outcome.output())
                    .as("what it says of it, in\n%s", outcome)
                    .containsPattern(
                            "(Found earlier: (WARNING|CRITICAL) "
                                    + kind.finding
                                    + "|finding "
                                    + kind.finding
                                    + " (WARNING|CRITICAL))");
        }
    }
}
