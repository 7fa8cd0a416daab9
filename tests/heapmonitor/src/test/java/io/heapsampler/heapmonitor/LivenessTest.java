// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.samplesOf;
import static io.heapsampler.heapmonitor.Recordings.siteOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.SnapshotOptions;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Live, dead and unconfirmed objects; the same on every collector. */
@ExtendWith(CleanSampler.class)
@Tag("J5")
class LivenessTest {

    private static final int COUNT = 50;

    /**
     * Elements of an array of more than half a region of G1; under generational ZGC fewer, for what
     * might hold much is tracked by chance there.
     */
    private static final int LARGE =
            HeapSampler.status().collector() == GarbageCollector.Z_GENERATIONAL ? 1_000 : 5_000_000;

    private static final class Held {
        byte[] content = new byte[10];
    }

    private static final class Dropped {}

    @BeforeEach
    void needsCollections() {
        Await.assumeCollections();
    }

    // Apart from the tests, whose frames might still hold what they do not use any more.
    private static List<Object> hold() {
        List<Object> held = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            held.add(new Held());
        }
        return held;
    }

    private static void drop() {
        for (int i = 0; i < COUNT; i++) {
            Work.sink = new Dropped();
        }
        Work.sink = null;
    }

    private static HeapRecording recording() {
        return Recordings.exact(Held.class, Dropped.class);
    }

    private static long count(HeapSnapshot snapshot, Class<?> type, Liveness liveness) {
        return samplesOf(snapshot, type).stream().filter(s -> s.liveness() == liveness).count();
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    @Test
    void everythingIsUnconfirmedUntilACollection() {
        for (boolean undisturbed = false; !undisturbed; ) {
            long before = collections();
            try (HeapRecording recording = recording()) {
                List<Object> held = hold();
                drop();
                HeapSnapshot snapshot = recording.snapshot();
                undisturbed = collections() == before && snapshot.collections() == 0;
                if (undisturbed) {
                    assertThat(count(snapshot, Held.class, Liveness.UNCONFIRMED)).isEqualTo(COUNT);
                    assertThat(count(snapshot, Dropped.class, Liveness.UNCONFIRMED))
                            .isEqualTo(COUNT);
                    assertThat(snapshot.isAfterGc()).isFalse();
                    assertThat(snapshot.totals().unconfirmed().objects().value())
                            .isEqualTo(2 * COUNT);
                    assertThat(snapshot.totals().live().objects().value()).isZero();
                }
                Reference.reachabilityFence(held);
            }
        }
    }

    @Test
    void forcedCollectionTellsTheLivingFromTheDead() throws Exception {
        try (HeapRecording recording = recording()) {
            List<Object> held = hold();
            drop();
            HeapSnapshot first = recording.snapshot(SnapshotOptions.afterGc());

            assertThat(first.isAfterGc()).isTrue();
            assertThat(first.collections()).isPositive();
            assertThat(count(first, Held.class, Liveness.LIVE)).isEqualTo(COUNT);
            Await.until(
                    "death of all that was dropped",
                    () -> {
                        HeapSnapshot next = recording.snapshot(SnapshotOptions.afterGc());
                        assertThat(count(next, Held.class, Liveness.LIVE)).isEqualTo(COUNT);
                        return count(next, Dropped.class, Liveness.DEAD) == COUNT;
                    });
            Reference.reachabilityFence(held);
        }
    }

    /** The VM leaves out a collection while a thread is in such a section: JDK 17 to 24. */
    @Test
    void forcedCollectionIsRequestedAgainWhereCriticalSectionsPreventIt() throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            threads.add(new Thread(() -> deflate(isOver), "critical " + i));
        }
        threads.forEach(Thread::start);
        try (HeapRecording recording = recording()) {
            for (int i = 0; i < 20; i++) {
                assertThat(recording.snapshot(SnapshotOptions.afterGc()).isAfterGc()).isTrue();
            }
        } finally {
            isOver.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    /** Short critical sections, with some time in between. */
    private static void deflate(AtomicBoolean isOver) {
        Deflater deflater = new Deflater();
        byte[] in = new byte[8_192];
        byte[] out = new byte[8_192];
        ThreadLocalRandom.current().nextBytes(in);
        while (!isOver.get()) {
            deflater.setInput(in);
            deflater.finish();
            while (!deflater.finished()) {
                deflater.deflate(out);
            }
            deflater.reset();
            LockSupport.parkNanos(2_000_000);
        }
        deflater.end();
    }

    @Test
    void figuresOfSitesFollowTheSamples() throws Exception {
        try (HeapRecording recording = recording()) {
            List<Object> held = hold();
            drop();
            awaitDeaths(recording);

            HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());
            HeapSite site = siteOf(snapshot, Held.class);
            assertThat(site.live().objects().value()).isEqualTo(COUNT);
            assertThat(site.live().bytes().value()).isEqualTo(site.allocated().bytes().value());
            assertThat(site.unconfirmed().samples()).isZero();
            assertThat(siteOf(snapshot, Dropped.class).live().samples()).isZero();
            assertThat(siteOf(snapshot, Dropped.class).allocated().samples()).isEqualTo(COUNT);
            assertThat(snapshot.topByLive(10)).containsExactly(site);
            assertThat(snapshot.totals().live().objects().value()).isEqualTo(COUNT);
            Reference.reachabilityFence(held);
        }
    }

    private static void awaitDeaths(HeapRecording recording) throws Exception {
        Await.until(
                "death of all that was dropped",
                () ->
                        count(
                                        recording.snapshot(SnapshotOptions.afterGc()),
                                        Dropped.class,
                                        Liveness.DEAD)
                                == COUNT);
    }

    @Test
    void collectionThatWeDidNotForceTellsTheSame() throws Exception {
        try (HeapRecording recording = recording()) {
            List<Object> held = hold();
            drop();
            Await.until(
                    "knowledge of life and death",
                    () -> {
                        System.gc();
                        HeapSnapshot next = recording.snapshot();
                        assertThat(count(next, Held.class, Liveness.DEAD)).isZero();
                        assertThat(next.isAfterGc()).isFalse();
                        return count(next, Held.class, Liveness.LIVE) == COUNT
                                && count(next, Dropped.class, Liveness.DEAD) == COUNT;
                    });
            Reference.reachabilityFence(held);
        }
    }

    @Test
    void heldObjectIsNeverDeadHoweverOftenTheHeapIsCollected() {
        try (HeapRecording recording = recording()) {
            List<Object> held = hold();
            for (int round = 0; round < 4; round++) {
                for (int i = 0; i < 200; i++) {
                    Work.sink = new byte[50_000];
                }
                System.gc();
                drop();
                HeapSnapshot snapshot = recording.snapshot();
                assertThat(samplesOf(snapshot, Held.class)).hasSize(COUNT);
                assertThat(count(snapshot, Held.class, Liveness.DEAD)).isZero();
            }
            Reference.reachabilityFence(held);
        }
    }

    @Test
    void whatIsDroppedLaterDiesLater() throws Exception {
        try (HeapRecording recording = recording()) {
            List<Object> held = hold();
            recording.snapshot(SnapshotOptions.afterGc());
            held.subList(0, 20).clear();
            Await.until(
                    "death of 20",
                    () -> {
                        HeapSnapshot next = recording.snapshot(SnapshotOptions.afterGc());
                        assertThat(count(next, Held.class, Liveness.DEAD)).isLessThanOrEqualTo(20);
                        return count(next, Held.class, Liveness.DEAD) == 20;
                    });
            assertThat(held).hasSize(COUNT - 20);
        }
    }

    @Test
    void largeObjectsAreKnownAsWellOnceACollectionIsForced() throws Exception {
        try (HeapRecording recording = Recordings.exact(Held[].class, Dropped[].class)) {
            Held[] held = new Held[LARGE];
            dropLarge();
            HeapSnapshot first = recording.snapshot(SnapshotOptions.afterGc());
            assertThat(samplesOf(first, Held[].class))
                    .extracting(HeapSample::liveness)
                    .containsExactly(Liveness.LIVE);
            Await.until(
                    "death of a large array",
                    () -> {
                        HeapSnapshot next = recording.snapshot(SnapshotOptions.afterGc());
                        return count(next, Dropped[].class, Liveness.DEAD) == 1;
                    });
            Reference.reachabilityFence(held);
        }
    }

    private static void dropLarge() {
        Work.sink = new Dropped[LARGE];
        Work.sink = null;
    }

    @Test
    @Tag("J22")
    void samplingKeepsNothingAlive() throws Exception {
        try (HeapRecording recording = recording()) {
            WeakReference<Object> watched = new WeakReference<>(hold().get(0));
            HeapSnapshot snapshot = recording.snapshot();
            Await.until(
                    "a cleared reference",
                    () -> {
                        System.gc();
                        recording.snapshot();
                        return watched.get() == null;
                    });
            assertThat(samplesOf(snapshot, Held.class)).hasSize(COUNT);
        }
    }

    @Test
    void deathsAreFoundWithoutASnapshot() throws Exception {
        try (HeapRecording recording = recording()) {
            drop();
            long tracked = HeapSampler.status().tracked();
            long sweeps = HeapSampler.status().sweeps();
            assertThat(tracked).isGreaterThanOrEqualTo(COUNT);
            Await.until(
                    "the sweeper's work",
                    () -> {
                        System.gc();
                        return HeapSampler.status().tracked() <= tracked - COUNT;
                    });
            Await.until("the end of its sweep", () -> HeapSampler.status().sweeps() > sweeps);
            assertThat(count(recording.snapshot(), Dropped.class, Liveness.DEAD)).isEqualTo(COUNT);
        }
    }

    @Test
    void livesAreFollowedAfterStop() throws Exception {
        try (HeapRecording recording = recording()) {
            List<Object> held = hold();
            drop();
            recording.stop();
            assertThat(HeapSampler.status().isSampling()).isFalse();
            awaitDeaths(recording);

            assertThat(
                            count(
                                    recording.snapshot(SnapshotOptions.afterGc()),
                                    Held.class,
                                    Liveness.LIVE))
                    .isEqualTo(COUNT);
            Reference.reachabilityFence(held);
        }
    }
}
