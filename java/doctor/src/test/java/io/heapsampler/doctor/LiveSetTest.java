// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LiveSetTest {

    private final List<GcEvent> collections = new ArrayList<>();
    private final List<JvmEvent> events = new ArrayList<>();
    private long completeFrom = Long.MIN_VALUE;

    private void pause(long at, String bean, CollectionKind kind, long before, long after) {
        collections.add(
                new GcEvent(
                        at,
                        5,
                        kind,
                        bean,
                        "a",
                        "c",
                        99 * MB,
                        60 * MB,
                        256 * MB,
                        MB,
                        before * MB,
                        after * MB,
                        MB));
    }

    private void young(long at, long before, long after) {
        pause(at, "G1 Young Generation", CollectionKind.YOUNG_PAUSE, before, after);
    }

    private void remark(long at) {
        pause(at, "G1 Concurrent GC", CollectionKind.PHASE_PAUSE, 80, 80);
    }

    private void marked(long at) {
        events.add(new JvmEvent(LiveSet.MARKED, at, 0, Map.of(), List.of()));
    }

    private LiveSet live(Story story) {
        return LiveSet.of(
                new Timeline(
                        story.timeline().settings(),
                        List.of(),
                        collections,
                        events,
                        completeFrom,
                        0));
    }

    private static List<Long> megabytes(LiveSet live) {
        return live.points().stream().map(point -> point.bytes() / MB).toList();
    }

    @Test
    void beforeTheFirstMarkingOfG1NothingIsKnown() {
        young(1_000, 20, 30);
        assertThat(live(Story.g1()).isEmpty()).isTrue();
        assertThat(live(Story.g1()).lastUntil(9_000)).isZero();
        assertThat(live(Story.g1()).beginOf(1)).isEqualTo(Long.MIN_VALUE);
    }

    /**
     * The first pause after a marking still has the garbage; mixed ones take it away bit by bit.
     */
    @Test
    void theLeastBetweenTwoMarkingsCounts() {
        for (boolean isNotified : new boolean[] {true, false}) {
            collections.clear();
            events.clear();
            for (long at = 0; at < 20_000; at += 10_000) {
                if (isNotified) {
                    remark(at + 1_000);
                } else {
                    marked(at + 1_000);
                }
                young(at + 2_000, 80, 80);
                young(at + 3_000, 80, 79);
                young(at + 4_000, 79, 78);
                young(at + 8_000, 78, 80);
            }
            LiveSet live = live(Story.g1());
            assertThat(megabytes(live)).containsExactly(78L, 78L);
            assertThat(live.beginOf(1)).isEqualTo(11_000);
            assertThat(live.beginOf(2)).isEqualTo(1_000);
            assertThat(live.lastUntil(14_000)).isEqualTo(4_005);
        }
    }

    /** Remark and cleanup are two pauses of one marking. */
    @Test
    void pausesWithoutAYoungOneBetweenThemAreOfOneMarking() {
        remark(1_000);
        remark(1_400);
        young(2_000, 80, 80);
        young(3_000, 80, 80);
        remark(4_000);
        young(5_000, 80, 80);
        remark(6_000);
        remark(6_200);
        Story g1 = Story.g1();
        Timeline timeline = new Timeline(g1.timeline().settings(), List.of(), collections, events);
        assertThat(LiveSet.markings(timeline)).containsExactly(1_400L, 4_000L, 6_200L);
    }

    @Test
    void markingsOfOtherCollectorsAreNone() {
        marked(1_000);
        young(2_000, 80, 80);
        assertThat(live(Story.serial()).isEmpty()).isTrue();
    }

    @Test
    void forgottenPointsAreReported() {
        marked(1_000);
        young(2_000, 80, 80);
        assertThat(live(Story.g1()).since()).isEqualTo(Long.MIN_VALUE);
        completeFrom = 700;
        assertThat(live(Story.g1()).since()).isEqualTo(700);
        assertThat(live(Story.serial()).since()).isEqualTo(Long.MIN_VALUE);
        while (events.size() < History.EVENTS) {
            marked(1_500);
        }
        assertThat(live(Story.g1()).since()).isEqualTo(1_000);
    }

    @Test
    void theFirstOfAllOldCollectionsThatAreKeptIsTheBeginning() {
        for (int i = 0; i < History.OLD; i++) {
            pause(1_000 + i, "MarkSweepCompact", CollectionKind.FULL_PAUSE, 50, 40);
            assertThat(i % 512 == 0 && live(Story.serial()).since() != Long.MIN_VALUE).isFalse();
        }
        assertThat(live(Story.serial()).since()).isEqualTo(1_005);
    }
}
