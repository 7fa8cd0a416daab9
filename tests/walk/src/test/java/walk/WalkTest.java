// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.support.Wanted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every stack that was found without asking the JVM is the JVM's own, whatever ran: each cell is a
 * JVM of a kind with one scenario. Several run at a time.
 */
class WalkTest {

    private final Tier tier = Tier.current();
    private long verified;
    private long mismatches;
    private int failed;
    private int run;

    private record Started(ForkedJvm jvm, Cell cell, Future<Outcome> outcome) {}

    @TestFactory
    Stream<DynamicTest> everyStackIsTheJvmsOwn() throws Exception {
        Wanted wanted = Wanted.by("walk.cells");
        ForkedJvm jvm = new ForkedJvm("walk");
        List<Started> cells = new ArrayList<>();
        List<Cell> all = Cell.of(tier);
        wanted.check(all.stream().map(Cell::name).toList());
        for (Cell cell : all) {
            if (wanted.includes(cell.name())) {
                cells.add(new Started(jvm, cell, jvm.start(cell, tier)));
            }
        }
        Stream<DynamicTest> tests =
                cells.stream()
                        .map(cell -> DynamicTest.dynamicTest(cell.cell.name(), () -> check(cell)));
        DynamicTest total = DynamicTest.dynamicTest("total", () -> checkTotal(wanted.isAll()));
        return Stream.concat(tests, Stream.of(total));
    }

    private void check(Started started) throws Exception {
        Outcome outcome = started.outcome.get();
        assumeTrue(started.cell.obstacle().isEmpty(), started.cell.obstacle());
        Counts counts = outcome.counts();
        verified += counts.verified();
        mismatches += counts.mismatches();
        run++;
        failed++; // unless this comes to its end
        assertThat(counts.mismatches()).as("mismatches of\n%s", outcome).isZero();
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isZero();
        assertThat(counts.fast()).as("fast at the end of\n%s", outcome).isTrue();
        assertThat(counts.verified())
                .as("verified stacks of\n%s", outcome)
                .isGreaterThanOrEqualTo(tier.stacks());
        long hits = counts.known() + counts.composed();
        assertThat(counts.verified())
                .as(
                        "every stack found without the JVM, but those with replaced methods, in\n"
                                + "%s",
                        outcome)
                .isBetween((long) (hits * 0.95), hits);
        assertThat(counts.hits())
                .as("share of stacks found without the JVM in\n%s", outcome)
                .isGreaterThanOrEqualTo(started.cell.kind().setup().hits());
        assertThat(counts.unwalkable())
                .as("stacks that could not be walked in\n%s", outcome)
                .isLessThanOrEqualTo(
                        (long) (started.cell.kind().mostUnwalkable() * counts.samples()));
        if (started.cell.mode() == Mode.GRAAL) {
            assertThat(started.jvm.compiled(started.cell))
                    .as("methods that Graal has compiled in\n%s", outcome)
                    .isPositive();
        }
        failed--;
    }

    private void checkTotal(boolean all) {
        System.out.printf(
                "walk: total %s: %d verified, %d mismatches, %d cells, %d failed%n",
                tier, verified, mismatches, run, failed);
        assertThat(mismatches).as("mismatches of all cells").isZero();
        if (all) {
            assertThat(verified)
                    .as("verified stacks of all cells")
                    .isGreaterThanOrEqualTo(tier.minimum());
        }
    }
}
