// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class CollectorListenerTest {

    private final List<GcEvent> heard = new CopyOnWriteArrayList<>();
    private volatile boolean hasRoom = true;

    private final CollectorListener listener =
            new CollectorListener(new VmClock(), new History(), this::hear);

    /** Notifications need metaspace. If it is full, each one starts another collection. */
    private void hear(GcEvent collection) {
        if (!hasRoom) {
            throw new OutOfMemoryError("Metaspace");
        }
        heard.add(collection);
    }

    private void collectInVain() throws InterruptedException {
        long before = listener.missed();
        hasRoom = false;
        until(
                "missed collections are counted",
                () -> {
                    System.gc();
                    return listener.missed() >= before + 6;
                });
    }

    @Test
    void itUnsubscribesWhileMetaspaceIsFull() throws InterruptedException {
        assumeThat(HeapSampler.status().collector()).isNotEqualTo(GarbageCollector.EPSILON);
        listener.listen();
        listener.metaspace(true);
        assertThat(listener.isListening()).isTrue();
        collectInVain();
        listener.metaspace(true);
        assertThat(listener.isListening()).isFalse();
        hasRoom = true;
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

    @Test
    void collectionsThatAreMissedForOtherReasonsAreNoSign() throws InterruptedException {
        assumeThat(HeapSampler.status().collector()).isNotEqualTo(GarbageCollector.EPSILON);
        listener.listen();
        collectInVain();
        listener.metaspace(false);
        listener.metaspace(true);

        assertThat(listener.isListening()).isTrue();
        listener.close();
    }
}
