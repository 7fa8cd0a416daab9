// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.SnapshotOptions;
import java.lang.ref.Reference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When objects were born and died, against when they were. Nothing here is left to chance. */
class LifetimeTest {

    private static final int SIZE = 64;
    private static final int COUNT = 200;

    /** Two clocks are compared, and times are kept in microseconds. */
    private static final long SLACK_NANOS = 50_000_000;

    @BeforeEach
    void needsCollections() {
        assumeFalse(
                HeapSampler.status().collector() == GarbageCollector.EPSILON,
                "Epsilon never collects");
    }

    private static byte[] keep() {
        return Allocator.array(SIZE);
    }

    private static byte[] drop() {
        return Allocator.array(SIZE);
    }

    private static List<HeapSample> samples(HeapSnapshot snapshot, String method) {
        return Sums.through(snapshot, LifetimeTest.class, method).stream()
                .map(HeapSite::samples)
                .flatMap(List::stream)
                .toList();
    }

    @Test
    void birthsAndDeathsLieWhereTheyWere() {
        List<byte[]> kept = new ArrayList<>();
        List<byte[]> dropped = new ArrayList<>();
        List<Instant> before = new ArrayList<>();
        keep(); // what the JVM allocates at the first call is not ours
        drop();
        try (HeapRecording recording = Sums.ofThisThread(0)) {
            for (int i = 0; i < COUNT; i++) {
                before.add(Instant.now());
                kept.add(keep());
                dropped.add(drop());
            }
            Instant allBorn = Instant.now();
            HeapSnapshot held = recording.snapshot(SnapshotOptions.afterGc());
            Instant stillHeld = Instant.now();
            Reference.reachabilityFence(dropped);
            dropped.clear();
            HeapSnapshot after = recording.snapshot(SnapshotOptions.afterGc());
            Instant allFound = Instant.now();

            assertThat(samples(held, "drop"))
                    .hasSize(COUNT)
                    .allSatisfy(s -> assertThat(s.liveness()).isEqualTo(Liveness.LIVE));
            assertThat(samples(after, "keep"))
                    .hasSize(COUNT)
                    .allSatisfy(s -> assertThat(s.liveness()).isEqualTo(Liveness.LIVE))
                    .allSatisfy(s -> assertThat(s.collectionsSurvived()).isPositive());
            assertThat(samples(after, "drop"))
                    .hasSize(COUNT)
                    .allSatisfy(s -> assertThat(s.liveness()).isEqualTo(Liveness.DEAD))
                    .allSatisfy(s -> assertDied(s, stillHeld, allFound));
            assertBorn(samples(after, "keep"), before, allBorn);
            Reference.reachabilityFence(kept);
        }
    }

    private static void assertDied(HeapSample sample, Instant stillHeld, Instant allFound) {
        assertThat(sample.foundDeadAt())
                .isBetween(stillHeld.minusNanos(SLACK_NANOS), allFound.plusNanos(SLACK_NANOS));
        assertThat(sample.lastSeenAliveAt()).isBetween(sample.allocatedAt(), sample.foundDeadAt());
    }

    private static void assertBorn(List<HeapSample> samples, List<Instant> before, Instant end) {
        List<Instant> born = samples.stream().map(HeapSample::allocatedAt).sorted().toList();
        for (int i = 0; i < born.size(); i++) {
            Instant next = i + 1 < before.size() ? before.get(i + 1) : end;
            assertThat(born.get(i))
                    .isBetween(before.get(i).minusNanos(SLACK_NANOS), next.plusNanos(SLACK_NANOS));
        }
    }

    // While the JVM collects on its own and on request, and others allocate.
    @Test
    void noHeldObjectIsEverTakenForDead() throws InterruptedException {
        List<byte[]> kept = new ArrayList<>();
        AtomicBoolean isOver = new AtomicBoolean();
        Thread other =
                new Thread(
                        () -> {
                            while (!isOver.get()) {
                                Allocator.garbage(1_000, 1_000);
                            }
                        });
        try (HeapRecording recording = Sums.ofThisThread(512)) {
            other.start();
            for (int round = 0; round < Tier.of(12, 200); round++) {
                for (int i = 0; i < 2_000; i++) {
                    kept.add(keep());
                    Allocator.sink = drop();
                }
                boolean isForced = round % 4 == 3;
                HeapSnapshot snapshot =
                        isForced
                                ? recording.snapshot(SnapshotOptions.afterGc())
                                : recording.snapshot();
                assertThat(samples(snapshot, "keep"))
                        .isNotEmpty()
                        .noneMatch(s -> s.liveness() == Liveness.DEAD);
                if (isForced) {
                    assertThat(samples(snapshot, "drop"))
                            .isNotEmpty()
                            .noneMatch(s -> s.liveness() == Liveness.UNCONFIRMED);
                }
            }
        } finally {
            isOver.set(true);
            other.join();
        }
        Reference.reachabilityFence(kept);
    }
}
