// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.AllocationRule;
import io.heapsampler.assertions.internal.Scope;
import io.heapsampler.assertions.internal.Settings;
import io.heapsampler.assertions.internal.Subject;
import io.heapsampler.assertions.internal.Trials;
import io.heapsampler.assertions.internal.Verdict;
import io.heapsampler.assertions.internal.Verdict.Outcome;
import io.heapsampler.junit.FakeHarness;
import io.heapsampler.support.JvmProcess;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What runs a test allocates as well, and more or less of it as the JVM compiles: what one run cost
 * is unknown if it changed meanwhile.
 */
@Tag("once")
class HarnessTest {

    private final FakeHarness harness = new FakeHarness();

    private int runs;

    /** Code run by a harness that costs so much before, in, and after the first run. */
    private Subject subject(int before, int in, int after, int ofCode) {
        return harness.subject(
                before,
                in,
                after,
                () -> {
                    allocate(ofCode);
                    runs++;
                });
    }

    private static void allocate(int objects) {
        for (int i = 0; i < objects; i++) {
            Sink.last = new Object();
        }
    }

    private static Verdict check(Subject subject, int warmup, int minOf) throws Throwable {
        return check(Scope.TEST, subject, warmup, minOf);
    }

    private static Verdict check(Scope scope, Subject subject, int warmup, int minOf)
            throws Throwable {
        allocate(20_000); // or the loop would be replaced on the stack meanwhile
        FakeHarness.warmUp();
        AllocationRule rule = new AllocationRule("No", scope, "0 B", 0, warmup, minOf, -1);
        return Trials.check(List.of(rule), subject, Settings.DEFAULT, () -> false).get(0);
    }

    @Test
    void itsBytesAreSubtracted() throws Throwable {
        assertThat(check(subject(1, 1, 1, 0), 0, 1).summary())
                .isEqualTo(
                        "0 bytes of at most 0 bytes; exact, the JVM's own count in the test's"
                                + " thread; 16 bytes of the harness subtracted; first run");
        assertThat(check(subject(1, 1, 1, 0), 5, 5).outcome()).isEqualTo(Outcome.PASSED);
        assertThat(runs).isEqualTo(7); // the first, and the first of those that are judged
        assertThat(check(subject(1, 1, 1, 1), 5, 5).summary()).startsWith("16 bytes of");
    }

    /** As when compiled code is given up between the run and the measurement of the harness. */
    @Test
    void dearerAfterwardsHidesNothing() throws Throwable {
        assertThat(check(subject(0, 0, 1, 1), 0, 5).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(check(subject(0, 0, 1, 0), 0, 5).summary()).endsWith("first run");
    }

    /** As when it is compiled in between. */
    @Test
    void cheaperAfterwardsBlamesNoCode() throws Throwable {
        Verdict verdict = check(subject(1, 1, 0, 0), 0, 5);
        assertThat(verdict.outcome()).isEqualTo(Outcome.PASSED);
        assertThat(verdict.summary()).endsWith("first run");
        assertThat(check(subject(1, 1, 0, 1), 0, 5).outcome()).isEqualTo(Outcome.FAILED);
    }

    /** A recording of the run tells the code from the harness, whatever that costs otherwise. */
    @Test
    void stacksTellWhatTheCountCannot() throws Throwable {
        assertThat(check(subject(0, 0, 1, 1), 0, 1).summary())
                .isEqualTo(
                        "16 bytes of at most 0 bytes; exact, the JVM's own count in the test's"
                                + " thread; first run");
        assertThat(check(subject(1, 1, 0, 1), 0, 1).summary())
                .isEqualTo(
                        "16 bytes of at most 0 bytes; exact, the JVM's own count in the test's"
                                + " thread; 16 bytes of the harness subtracted; first run");
        assertThat(check(subject(1, 1, 0, 0), 0, 1).outcome()).isEqualTo(Outcome.PASSED);
    }

    /** Those it created count with it: what it allocated itself is as uncertain as without them. */
    @Test
    void withTheThreadsThatItCreatesItIsAsUncertain() throws Throwable {
        Scope inherited =
                new Scope(ThreadScope.INHERITED, List.of(), List.of(), List.of(), List.of());

        assertThat(check(inherited, subject(0, 0, 1, 1), 0, 1).summary())
                .contains("is too uncertain", "16 B (0 B to 16 B) of", "may be the harness's");
        assertThat(check(inherited, subject(1, 1, 0, 1), 0, 1).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(check(inherited, subject(1, 1, 1, 0), 0, 1).outcome()).isEqualTo(Outcome.PASSED);
    }

    /** In another JVM, where nothing is compiled yet. */
    @Test
    @Timeout(300)
    void stringsThatTheJvmMakesToCompileTheHarnessAreSetAside() throws Exception {
        JvmProcess.End end =
                ForkedJvm.run(
                        List.of(
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                CompiledHarness.class.getName()));

        assertThat(end.output()).contains("outcome=PASSED", "summary=0 bytes of at most 0 bytes");
        assertThat(end.code()).isZero();
    }
}
