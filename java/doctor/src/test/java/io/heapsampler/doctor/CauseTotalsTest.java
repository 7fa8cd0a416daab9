// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Samples.collection;
import static io.heapsampler.doctor.Samples.timeline;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CauseTotalsTest {

    /** T5: most collections have a cause that sounds bad, and it cost next to nothing. */
    @Test
    void causesAreOrderedByWhatTheyCostAndNotByHowManyThereAre() {
        List<GcEvent> all = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            all.add(collection(i, 1, CollectionKind.YOUNG_PAUSE, "GCLocker Initiated GC"));
        }
        for (int i = 0; i < 40; i++) {
            all.add(collection(i, 5, CollectionKind.YOUNG_PAUSE, "Allocation Failure"));
        }
        List<CauseTotals> totals = CauseTotals.of(timeline(List.of(), all));

        assertThat(totals)
                .extracting(CauseTotals::cause)
                .containsExactly("Allocation Failure", "GCLocker Initiated GC");
        assertThat(totals.get(1).pauses()).isEqualTo(60);
        assertThat(totals.get(1).pauseMillis()).isEqualTo(60);
    }

    @Test
    void pausesAndCyclesOfACauseAreCountedSeparately() {
        CauseTotals stall =
                CauseTotals.of(
                                timeline(
                                        List.of(),
                                        List.of(
                                                collection(
                                                        1,
                                                        2,
                                                        CollectionKind.PHASE_PAUSE,
                                                        "Allocation Stall"),
                                                collection(
                                                        1,
                                                        3,
                                                        CollectionKind.PHASE_PAUSE,
                                                        "Allocation Stall"),
                                                collection(
                                                        1,
                                                        700,
                                                        CollectionKind.OLD_CYCLE,
                                                        "Allocation Stall"))))
                        .get(0);

        assertThat(stall)
                .isEqualTo(
                        new CauseTotals(
                                "Allocation Stall", "threads wait for room", 2, 5, 3, 1, 700, 0));
    }

    @Test
    void anUnknownCauseIsKeptAsItCame() {
        CauseTotals odd =
                CauseTotals.of(
                                timeline(
                                        List.of(),
                                        List.of(
                                                collection(
                                                        1,
                                                        9,
                                                        CollectionKind.UNKNOWN,
                                                        "Full moon \u263e"))))
                        .get(0);

        assertThat(odd.cause()).isEqualTo("Full moon \u263e");
        assertThat(odd.meaning()).isEmpty();
        assertThat(odd.others()).isEqualTo(1);
    }
}
