// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Gc;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What users can say about lookups. That every hit is compared where they want it: WalkTest. */
class SwitchesTest {

    private final ForkedJvm jvm;

    SwitchesTest() throws Exception {
        jvm = new ForkedJvm("walk-switches");
    }

    private Outcome run(String... flags) throws Exception {
        Cell cell = new Cell(Cell.walked().get(0), Gc.G1, Mode.TIERED, Kind.BANK);
        Future<Outcome> outcome = jvm.start(cell, Tier.MERGE, flags);
        return outcome.get();
    }

    @Test
    void lookupsAreOffWhereTheyAreNotWanted() throws Exception {
        Outcome outcome = run("-Dheapsampler.fastStacks=off", "-Dwalk.rounds=20");

        Counts counts = outcome.counts();
        assertThat(counts.fast()).as("%s", outcome).isFalse();
        assertThat(counts.reason())
                .isEqualTo("it was switched off by the property heapsampler.fastStacks");
        assertThat(counts.samples()).as("samples of\n%s", outcome).isGreaterThan(1_000);
        assertThat(counts.known() + counts.composed() + counts.verified()).isZero();
        assertThat(outcome.output()).doesNotContain("note: A stack that was looked up");
    }

    @Test
    void aShareIsComparedWhereNothingIsSaid() throws Exception {
        Outcome outcome = run("-Dheapsampler.verifyStacks=0", "-Dwalk.rounds=20");

        Counts counts = outcome.counts();
        long hits = counts.known() + counts.composed();
        assertThat(counts.isGood()).as("%s", outcome).isTrue();
        // 512 at first (256, then 1 in 8), at most 1,024 first ones of threads, and 1 in 1,024 of
        // all others, of which 2 in 100 would be far too many.
        assertThat(hits).as("%s", outcome).isGreaterThan(10_000);
        assertThat(counts.verified()).as("%s", outcome).isBetween(512L, 1_536 + hits / 50);
    }
}
