// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Samples.collection;
import static io.heapsampler.doctor.Samples.pause;
import static io.heapsampler.doctor.Samples.ticks;
import static io.heapsampler.doctor.Samples.timeline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SloReportTest {

    private static final long MINUTE = 60_000;
    private static final Slo FOUR_NINES = new Slo(80, 0.9999, false);

    private static SloReport of(Slo slo, long minutes, GcEvent... collections) {
        return new SloReport(timeline(ticks(0, minutes * MINUTE), List.of(collections)), slo);
    }

    /** M3. */
    @Test
    void aMinuteOfPausesInAHundredLeavesNinetyNinePerCent() {
        List<GcEvent> pauses = new ArrayList<>();
        for (int minute = 0; minute < 100; minute++) {
            pauses.add(pause(minute * MINUTE + 1_000, 600));
        }
        SloReport report =
                new SloReport(
                        timeline(ticks(0, 100 * MINUTE), pauses), new Slo(1_000, 0.99, false));

        assertThat(report.pauseMillis).isEqualTo(60_000);
        assertThat(report.throughput()).isCloseTo(0.99, within(1e-12));
        assertThat(report.meetsThroughput()).isTrue();
        assertThat(report.minutesOver).isZero();
        assertThat(report.isMet()).isTrue();
    }

    /** M4: the defaults are marked as such. */
    @Test
    void withoutObjectivesTheDefaultsHold() {
        assertThat(Slo.DEFAULT.pauseMaxMillis()).isEqualTo(200);
        assertThat(Slo.DEFAULT.throughputMin()).isEqualTo(0.99);
        assertThat(Slo.DEFAULT.isDefault()).isTrue();
        assertThat(Slo.DEFAULT).isEqualTo(Slo.DEFAULT);
    }

    /** M4, M5: one pause at most as long as TP9999. */
    @Test
    void thePauseLimitItselfIsMet() {
        assertThat(of(FOUR_NINES, 60, pause(1_000, 80)).meetsPauses()).isTrue();
        assertThat(of(FOUR_NINES, 60, pause(1_000, 80.1)).meetsPauses()).isFalse();
    }

    /** M5: more than 6 ms of a minute break four nines. */
    @Test
    void sixMillisecondsOfAMinuteMeetFourNinesAndMoreDoNot() {
        SloReport six = of(FOUR_NINES, 1, pause(1_000, 2.5), pause(2_000, 3.5));
        SloReport more = of(FOUR_NINES, 1, pause(1_000, 2.5), pause(2_000, 3.6));

        assertThat(six.worstMinuteMillis).isEqualTo(6.0);
        assertThat(six.minutesOver).isZero();
        assertThat(six.isMet()).isTrue();
        assertThat(more.worstMinuteMillis).isEqualTo(6.1);
        assertThat(more.minutesOver).isEqualTo(1);
        assertThat(more.meetsThroughput()).isFalse();
    }

    /** M5: 30 ms every five minutes are 0.01 %, and the minute that has them is over. */
    @Test
    void onePauseOfThirtyMillisecondsInFiveMinutesIsExactlyFourNines() {
        SloReport report = of(FOUR_NINES, 5, pause(130_000, 30));

        assertThat(report.throughput()).isCloseTo(0.9999, within(1e-12));
        assertThat(report.meetsThroughput()).isTrue();
        assertThat(report.minutes).isEqualTo(5);
        assertThat(report.minutesOver).isEqualTo(1);
        assertThat(of(FOUR_NINES, 4, pause(130_000, 30)).meetsThroughput()).isFalse();
    }

    /** T1. */
    @Test
    void concurrentCyclesTakeNothing() {
        SloReport report =
                of(
                        FOUR_NINES,
                        1,
                        collection(1_000, 5_000, CollectionKind.OLD_CYCLE, "Proactive"),
                        collection(9_000, 900, CollectionKind.UNKNOWN, "?"),
                        collection(20_000, 1, CollectionKind.PHASE_PAUSE, "Proactive"));

        assertThat(report.pauses).isEqualTo(1);
        assertThat(report.pauseMillis).isEqualTo(1);
        assertThat(report.longestPauseMillis).isEqualTo(1);
        assertThat(report.isMet()).isTrue();
    }

    /** T4: what the JVM's log tells changes no figure. */
    @Test
    void eventsChangeNoFigure() {
        List<Tick> ticks = ticks(0, MINUTE);
        List<GcEvent> pauses = List.of(pause(5_000, 7));
        JvmEvent event =
                new JvmEvent("GCPhasePause", 5_000, 7.25, java.util.Map.of(), List.of("a.b:1"));
        Timeline without = new Timeline(Samples.settings(), ticks, pauses, List.of());
        Timeline with = new Timeline(Samples.settings(), ticks, pauses, List.of(event));

        assertThat(new SloReport(with, FOUR_NINES))
                .usingRecursiveComparison()
                .isEqualTo(new SloReport(without, FOUR_NINES));
        assertThat(CauseTotals.of(with)).isEqualTo(CauseTotals.of(without));
    }

    @Test
    void onlyTheTimeCountsFromWhichNoCollectionIsMissing() {
        Timeline timeline =
                new Timeline(
                        Samples.settings(),
                        ticks(0, 2 * MINUTE),
                        List.of(pause(30_000, 50), pause(90_000, 60)),
                        List.of(),
                        MINUTE,
                        0);
        SloReport report = new SloReport(timeline, FOUR_NINES);

        assertThat(report.minutes).isEqualTo(1);
        assertThat(report.pauses).isEqualTo(1);
        assertThat(report.throughput()).isCloseTo(1 - 60.0 / MINUTE, within(1e-12));
    }

    @Test
    void capacityIsTheThirdAxis() {
        SloReport report = of(FOUR_NINES, 1);

        assertThat(report.heapCommittedMax).isEqualTo(64 * Samples.MIB);
        assertThat(report.residentMax).isEqualTo(200 * Samples.MIB);
    }

    @Test
    void anEmptyTimelineBreaksNothing() {
        SloReport report = new SloReport(timeline(List.of(), List.of()), FOUR_NINES);

        assertThat(report.isMet()).isTrue();
        assertThat(report.throughput()).isEqualTo(1);
        assertThat(report.heapCommittedMax).isEqualTo(-1);
    }
}
