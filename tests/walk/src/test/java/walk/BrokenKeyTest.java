// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Jdk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The other way round: a flaw put into the lookup on purpose is found by verification, which then
 * ends it. Otherwise no mismatch would mean little. Needs a library built with HS_BREAKABLE.
 */
class BrokenKeyTest {

    private static final List<Kind> REUSE = List.of(Kind.CODE_REUSE, Kind.CHURN);
    private static final List<Kind> STORMS = List.of(Kind.DEOPT, Kind.DEOPT_HANDLES);

    private final ForkedJvm jvm;
    private final Path library = library();

    BrokenKeyTest() throws Exception {
        jvm = new ForkedJvm("walk-broken");
    }

    private static Path library() {
        String file = System.getProperty("walk.breakable.library", "");
        if (file.isEmpty()) {
            String set = System.getenv("WALK_BREAKABLE_LIBRARY");
            file = set == null ? "" : set;
        }
        assertThat(file)
                .as(
                        "the library to break: build one with cmake -DHS_BREAKABLE=ON and name it"
                                + " in -Dwalk.breakable.library=<file>, or use tests/walk/run")
                .isNotEmpty();
        assertThat(Path.of(file)).as("the library to break").matches(Files::isRegularFile);
        return Path.of(file);
    }

    @TestFactory
    Stream<DynamicTest> keyWithoutTheCompileIdIsFoundOut() {
        return tests(REUSE, 0, "compile-id");
    }

    @TestFactory
    Stream<DynamicTest> blindnessForDeoptimisationIsFoundOut() {
        return tests(STORMS, 2, "deopt");
    }

    /**
     * Code is freed, and other code lies there: what was remembered of the place must not count.
     */
    @TestFactory
    Stream<DynamicTest> beliefInPlacesIsFoundOut() {
        return tests(REUSE, 1, "places");
    }

    /**
     * Runs are decoded from debug information: one with a wrong bytecode index, one without a
     * frame.
     */
    @TestFactory
    Stream<DynamicTest> wrongIndexInDecodedRunIsFoundOut() {
        return tests(STORMS, 0, "index");
    }

    @TestFactory
    Stream<DynamicTest> missingFrameInDecodedRunIsFoundOut() {
        return tests(STORMS, 1, "inlined");
    }

    /** Names agreed until they were proved, and are read wrongly from then on. */
    @TestFactory
    Stream<DynamicTest> wrongNameOfMethodIsFoundOut() {
        return tests(List.of(Kind.CHURN), 0, "names");
    }

    /** Else the library itself would be at fault. */
    @TestFactory
    Stream<DynamicTest> sameLibraryUnbrokenIsRight() {
        return tests(List.of(Kind.CHURN, Kind.DEOPT), 1, "");
    }

    /** Before a merge one, another one with each turn; in the long tier all. */
    private static List<Jdk> jdks(int turn) {
        List<Jdk> all = Cell.walked();
        return Tier.current() == Tier.LONG ? all : List.of(all.get(turn % all.size()));
    }

    private Stream<DynamicTest> tests(List<Kind> kinds, int turn, String flaw) {
        List<DynamicTest> tests = new ArrayList<>();
        for (int i = 0; i < kinds.size(); i++) {
            Kind kind = kinds.get(i);
            for (Jdk jdk : jdks(turn + i)) {
                Cell cell = new Cell(jdk, Gc.G1, Mode.TIERED, kind);
                Future<Outcome> outcome =
                        jvm.start(
                                cell,
                                flaw.isEmpty() ? Tier.MERGE : Tier.LONG,
                                "-Dheapsampler.library.path=" + library,
                                "-Dheapsampler.breakStacks=" + flaw);
                tests.add(DynamicTest.dynamicTest(cell.name(), () -> check(outcome.get(), flaw)));
            }
        }
        return tests.stream();
    }

    private static void check(Outcome outcome, String flaw) {
        Counts counts = outcome.counts();
        if (flaw.isEmpty()) {
            assertThat(counts.isGood()).as("%s", outcome).isTrue();
            assertThat(counts.verified()).as("%s", outcome).isPositive();
            return;
        }
        assertThat(counts.mismatches()).as("mismatches of\n%s", outcome).isPositive();
        assertThat(counts.fast()).as("fast at the end of\n%s", outcome).isFalse();
        assertThat(counts.reason()).as("%s", outcome).contains("differed from the JVM");
        assertThat(outcome.output())
                .as("notes of\n%s", outcome)
                .contains("note: A stack that was looked up, or a name that was read, differed");
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isEqualTo(1);
    }
}
