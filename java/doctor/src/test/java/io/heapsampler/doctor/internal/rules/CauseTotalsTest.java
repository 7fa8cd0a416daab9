// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import static io.heapsampler.doctor.Samples.collection;
import static io.heapsampler.doctor.Samples.timeline;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.internal.timeline.Causes;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** M7: the table is that of the JVM which runs this, as far as its library tells. */
    @Test
    void thisJvmHasTheCausesThatItShouldHaveAndNoOthers() throws IOException {
        Path library = Path.of(System.getProperty("java.home"), "lib", "server", "libjvm.so");
        String text = new String(Files.readAllBytes(library), StandardCharsets.ISO_8859_1);
        int feature = Runtime.version().feature();
        for (Causes.Cause cause : Causes.all()) {
            if (cause.isIn(feature)) {
                // The linker may have made it the end of a longer text.
                assertThat(text.contains(cause.name() + "\0")).as(cause.name()).isTrue();
            } else {
                assertThat(text.contains("\0" + cause.name() + "\0")).as(cause.name()).isFalse();
            }
        }
    }

    @Test
    void theTableKnowsWhatCameAndWent() {
        assertThat(Causes.of("GCLocker Initiated GC").isIn(21)).isTrue();
        assertThat(Causes.of("GCLocker Initiated GC").isIn(25)).isFalse();
        assertThat(Causes.of("Ergonomics").isIn(25)).isFalse();
        assertThat(Causes.of("G1 Preventive Collection").isIn(17)).isTrue();
        assertThat(Causes.of("G1 Preventive Collection").isIn(21)).isFalse();
        assertThat(Causes.of("CodeCache GC Threshold").isIn(17)).isFalse();
        assertThat(Causes.of("Full moon")).isNull();
    }
}
