// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Wanted;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What is sick is found, and nothing else is warned of but what truly comes along; of what is
 * healthy nothing is told that is worse than information. Several JVMs run at a time.
 */
class CaseTest {

    /** What a machine does to an application that it stops for a second, whoever is well. */
    private static final Set<String> OF_THE_MACHINE =
            Set.of("pause.long", "gc.stall", "gc.degenerated");

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
                                        started.cell.name(),
                                        () -> check(started.cell, outcome(started, jvm, tier))));
    }

    /** A doctor who is wrong is so each time; a machine that stands still is not. */
    private static Outcome outcome(Started started, ForkedJvm jvm, Tier tier) throws Exception {
        Outcome outcome = started.outcome.get();
        for (int i = 1; i < TRIES && isOfTheMachine(started.cell.patient(), outcome); i++) {
            outcome = jvm.start(started.cell, tier).get();
        }
        return outcome;
    }

    private static boolean isOfTheMachine(Case patient, Outcome outcome) {
        List<String> unexpected =
                outcome.found().stream()
                        .filter(found -> found.isWarning() && !patient.allows(found.id()))
                        .map(Outcome.Found::id)
                        .toList();
        return !unexpected.isEmpty() && OF_THE_MACHINE.containsAll(unexpected);
    }

    private static void check(Cell cell, Outcome outcome) {
        Case patient = cell.patient();
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isZero();
        assertThat(outcome.found())
                .as("worse than information, and not there, in\n%s", outcome)
                .noneMatch(found -> found.isWarning() && !patient.allows(found.id()));
        if (!patient.isSick()) {
            return;
        }
        assertThat(outcome.found())
                .as("%s, in\n%s", patient.finding(), outcome)
                .anyMatch(
                        found ->
                                found.id().equals(patient.finding())
                                        && (found.isWarning() || !patient.isWarning()));
        if (!patient.site().isEmpty()) {
            assertThat(outcome.sites(patient.finding()))
                    .as("who causes it, in\n%s", outcome)
                    .anyMatch(site -> site.contains(patient.site()));
        }
    }
}
