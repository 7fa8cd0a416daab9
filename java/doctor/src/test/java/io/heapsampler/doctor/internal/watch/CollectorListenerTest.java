// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.VmClock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class CollectorListenerTest {

    private final List<GcEvent> heard = new CopyOnWriteArrayList<>();
    private final CollectorListener listener =
            new CollectorListener(new VmClock(), new History(), heard::add);

    private long missed() {
        return listener.unseen().missed();
    }

    /** Notifications need metaspace. If it is full, each one starts another collection. */
    @Test
    void itUnsubscribesWhileMetaspaceIsFull() throws InterruptedException {
        assumeThat(HeapSampler.status().collector()).isNotEqualTo(GarbageCollector.EPSILON);
        listener.listen();
        listener.metaspace(true);
        assertThat(listener.isListening()).isFalse();
        System.gc();
        until("missed collections are counted", () -> missed() > 0);
        assertThat(heard).isEmpty();
        listener.metaspace(false);
        until(
                "a collection",
                () -> {
                    System.gc();
                    return !heard.isEmpty();
                });
        listener.close();
        listener.metaspace(false);

        assertThat(listener.isListening()).isFalse();
    }

    /** As if there had been no room to make their notifications. */
    @Test
    void manyMissedCollectionsAreAStorm() {
        assumeThat(HeapSampler.status().collector()).isNotEqualTo(GarbageCollector.EPSILON);
        listener.listen();
        listener.metaspace(true);
        assertThat(listener.isStorm()).isFalse();
        for (int i = 0; i < 6; i++) {
            System.gc();
        }

        assertThat(listener.isStorm()).isTrue();
        listener.calm(); // What was missed before, in a full heap, is not about metaspace.
        assertThat(listener.isStorm()).isFalse();
        listener.close();
    }
}
