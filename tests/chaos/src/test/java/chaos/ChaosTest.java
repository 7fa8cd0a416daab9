// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.support.Wanted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Whatever happens around the sampler, the JVM lives, ends in time, and nothing is left in it. */
class ChaosTest {

    private record Started(Cell cell, Future<Outcome> outcome) {}

    @TestFactory
    Stream<DynamicTest> nothingHappens() throws Exception {
        ForkedJvm jvms = new ForkedJvm("scenarios");
        Wanted wanted = Wanted.by("chaos.cells");
        List<Started> started = new ArrayList<>();
        for (Cell cell : Cell.of(Tier.current())) {
            if (wanted.includes(cell.name())) {
                boolean isPossible = cell.obstacle().isEmpty();
                started.add(new Started(cell, isPossible ? jvms.start(cell.launch(jvms)) : null));
            }
        }
        return started.stream()
                .map(one -> DynamicTest.dynamicTest(one.cell.name(), () -> check(one)));
    }

    private static void check(Started started) throws Exception {
        String obstacle = started.cell.obstacle();
        if (!obstacle.isEmpty()) {
            System.out.printf("chaos: %-44s SKIPPED: %s%n", started.cell.name(), obstacle);
        }
        assumeTrue(obstacle.isEmpty(), obstacle);
        Outcome outcome = started.outcome.get().without(started.cell.kind().noise());
        assertThat(outcome.trouble(0)).isEmpty();
        assertThat(outcome.line()).as("%s", outcome).contains("left=[]");
    }
}
