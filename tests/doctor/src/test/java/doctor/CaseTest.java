// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Wanted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The doctor finds the fault, and warns of nothing else except for true side effects; of a healthy
 * program it reports nothing worse than information. Several JVMs run at a time.
 */
class CaseTest {

    private static final int TRIES = 3;

    private record Started(Cell cell, Future<Outcome> outcome) {}

    @TestFactory
    Stream<DynamicTest> theDoctorIsRight() throws Exception {
        Tier tier = Tier.current();
        ForkedJvm jvm = new ForkedJvm();
        List<Started> cells = new ArrayList<>();
        for (Cell cell : Cell.of(tier, Wanted.by("doctor.cells"))) {
            cells.add(new Started(cell, jvm.start(cell, tier)));
        }
        return cells.stream()
                .map(
                        started ->
                                DynamicTest.dynamicTest(
                                        started.cell.name(), () -> check(started, jvm, tier)));
    }

    /**
     * Details may come late, and a machine that stands still makes pauses long; no JVM crashes
     * twice, and who is warned of without such a reason is not asked again.
     */
    private static void check(Started started, ForkedJvm jvm, Tier tier) throws Exception {
        Outcome outcome = started.outcome.get();
        for (int left = TRIES - 1; ; left--) {
            try {
                check(started.cell, outcome);
                return;
            } catch (AssertionError e) {
                if (left == 0 || !mayBeRepeated(started.cell, outcome)) {
                    throw e;
                }
            }
            outcome = jvm.start(started.cell, tier).get();
        }
    }

    private static boolean mayBeRepeated(Cell cell, Outcome outcome) {
        boolean isSick = cell.patient().isSick();
        return outcome.code() == 0
                && (isSick || outcome.stoodStill() || falseAlarms(cell, outcome).isEmpty());
    }

    /**
     * Of the healthy at any time; of the faulty in the end, because the problem is distinguished
     * from what comes of it only by and by.
     */
    private static List<Outcome.Found> falseAlarms(Cell cell, Outcome outcome) {
        boolean isSick = cell.patient().isSick();
        return (isSick ? outcome.found() : outcome.warnings())
                .stream()
                        .filter(Outcome.Found::isWarning)
                        .filter(found -> !cell.patient().allows(cell.gc(), found.id()))
                        .toList();
    }

    private static void check(Cell cell, Outcome outcome) {
        Case patient = cell.patient();
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isZero();
        assertThat(falseAlarms(cell, outcome))
                .as("worse than information, and not there, in\n%s", outcome)
                .isEmpty();
        assertThat(outcome.told())
                .as("told at any time, and not there, in\n%s", outcome)
                .noneMatch(found -> patient.untold().contains(found.id()));
        if (!patient.isSick()) {
            return;
        }
        assertThat(outcome.found())
                .as("%s, in\n%s", patient.finding(), outcome)
                .anyMatch(
                        found ->
                                found.id().equals(patient.finding())
                                        && (found.isWarning() || !patient.isWarning()));
        assertThat(outcome.output()).as("words of the finding").contains(patient.words());
        if (!patient.site().isEmpty()) {
            assertThat(outcome.places(patient.finding()))
                    .as("cause, in\n%s", outcome)
                    .anyMatch(place -> place.contains(patient.site()));
        }
    }
}
