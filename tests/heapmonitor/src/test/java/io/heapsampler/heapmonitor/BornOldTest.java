// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.samplesOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Parallel until JDK 24: while a thread is in a JNI critical section and the young generation is
 * full, small objects are allocated in the old one.
 */
@ExtendWith(CleanSampler.class)
class BornOldTest {

    private static final int LAST_FEATURE = 24;

    private static final class Held {}

    private static MemoryPoolMXBean oldGeneration() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getName().equals("PS Old Gen"))
                .findAny()
                .orElseThrow();
    }

    private static long youngCollections() {
        return collections("PS Scavenge");
    }

    private static long collections(String collector) {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(bean -> bean.getName().equals(collector))
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    private static void allocate() {
        for (int i = 0; i < 10_000; i++) {
            Work.sink = new byte[1_000];
        }
    }

    private static void makeYoungCollections(int count) throws Exception {
        long end = youngCollections() + count;
        Await.until(
                "young collections",
                () -> {
                    allocate();
                    return youngCollections() >= end;
                });
    }

    private static Thread enterCritical() throws Exception {
        Thread thread = new Thread(() -> Native.stayCritical(new byte[1]));
        thread.start();
        Await.until("a critical section", Native::isCritical);
        return thread;
    }

    private static void fillYoungGeneration() throws Exception {
        long usedBefore = oldGeneration().getUsage().getUsed();
        Await.until(
                "an allocation in the old generation",
                () -> {
                    allocate();
                    return oldGeneration().getUsage().getUsed() > usedBefore;
                });
    }

    /** Loading a class would wait for the end of the critical section. */
    private static void loadClasses() throws Exception {
        Recordings.exact(Held.class).close();
        assertThat(oldGeneration().getUsage().getUsed()).isNotNegative();
        makeYoungCollections(1);
    }

    @Test
    void samplingThatBeginsWhileTheYoungGenerationIsFullStillFindsLiveObjects() throws Exception {
        assumeTrue(
                HeapSampler.status().collector() == GarbageCollector.PARALLEL
                        && Runtime.version().feature() <= LAST_FEATURE,
                "critical sections lead to the old generation");
        loadClasses();
        long fullBefore = collections("PS MarkSweep");
        HeapRecording recording;
        Thread critical = enterCritical();
        try {
            fillYoungGeneration();
            recording = Recordings.exact(Held.class);
        } finally {
            Native.endCritical();
            Await.end(critical);
        }
        try (recording) {
            makeYoungCollections(1);
            Held held = new Held();
            Await.until(
                    "a live object",
                    () -> {
                        makeYoungCollections(1);
                        HeapSnapshot snapshot = recording.snapshot();
                        boolean isLive =
                                samplesOf(snapshot, Held.class).stream()
                                        .map(HeapSample::liveness)
                                        .anyMatch(Liveness.LIVE::equals);
                        assertThat(collections("PS MarkSweep"))
                                .as("a full collection would have freed the canary")
                                .isEqualTo(fullBefore);
                        return isLive;
                    });
            assertThat(recording.snapshot().notes())
                    .anyMatch(note -> note.id().equals("born-old-small"));
            Reference.reachabilityFence(held);
        }
    }
}
