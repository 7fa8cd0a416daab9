// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Samples.collection;
import static io.heapsampler.doctor.Samples.pause;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HistoryTest {

    private final History history = new History();

    private Timeline timeline() {
        return history.timeline(Samples.settings(), 0);
    }

    private static JvmEvent event(String type, long at) {
        return new JvmEvent(type, at, 0, Map.of(), List.of());
    }

    @Test
    void aStormOfYoungCollectionsLeavesTheOldOnes() {
        history.add(collection(1, 9, CollectionKind.FULL_PAUSE, "System.gc()"));
        for (int i = 0; i < 20_000; i++) {
            history.add(pause(10 + i, 1));
        }

        List<GcEvent> kept = timeline().collections();
        assertThat(kept.get(0).kind()).isEqualTo(CollectionKind.FULL_PAUSE);
        assertThat(kept).hasSize(8_193);
        assertThat(timeline().completeFromMillis()).isEqualTo(kept.get(1).atMillis());
        assertThat(history.oldCollections()).isEqualTo(1);
    }

    @Test
    void tenMillionCollectionsAreAsBoundedAsAFew() {
        GcEvent young = pause(1, 1);
        GcEvent old = collection(2, 9, CollectionKind.FULL_PAUSE, "System.gc()");
        for (int i = 0; i < 10_000_000; i++) {
            history.add(i % 100 == 0 ? old : young);
        }

        assertThat(timeline().collections()).hasSize(8_192 + 2_048);
        assertThat(history.oldCollections()).isEqualTo(100_000);
    }

    @Test
    void nothingIsMissingBeforeSomethingWasForgotten() {
        history.add(pause(5, 1));

        assertThat(timeline().completeFromMillis()).isEqualTo(Long.MIN_VALUE);
    }

    /** Notifications come when a cycle ends: a long one comes after those that began later. */
    @Test
    void collectionsAreInTheOrderInWhichTheyBegan() {
        history.add(pause(50, 1));
        history.add(collection(10, 90, CollectionKind.OLD_CYCLE, "Proactive"));
        history.add(pause(70, 1));

        assertThat(timeline().collections())
                .extracting(GcEvent::atMillis)
                .containsExactly(10L, 50L, 70L);
    }

    @Test
    void manyEventsOfOneTypeLeaveThoseOfOthers() {
        history.add(event("SystemGC", 1));
        for (int i = 0; i < 5_000; i++) {
            history.add(event("ZAllocationStall", 2 + i));
        }

        assertThat(timeline().events()).hasSize(513);
        assertThat(timeline().events().get(0).type()).isEqualTo("SystemGC");
    }

    /** The clock was set, or the machine has slept: what is shown follows it. */
    @Test
    void timesAreShownByTheWallClock() {
        history.add(Samples.row(Samples.tick(9_000)));
        Timeline set = history.timeline(Samples.settings(), 60_000);

        assertThat(set.ticks()).containsExactly(Samples.tick(9_000));
        assertThat(set.shown(9_000)).isEqualTo(Instant.ofEpochMilli(69_000));
        assertThat(timeline().shown(9_000)).isEqualTo(Instant.ofEpochMilli(9_000));
    }
}
