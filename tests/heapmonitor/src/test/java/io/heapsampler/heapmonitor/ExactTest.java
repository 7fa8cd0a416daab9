// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.samplesOf;
import static io.heapsampler.heapmonitor.Recordings.siteOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import io.heapsampler.ThreadTotals;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Interval 0: every allocation is a sample, so nothing is left to chance and these tests raise no
 * false alarm.
 */
@ExtendWith(CleanSampler.class)
class ExactTest {

    private static final class Marker {
        long first;
        long second;
    }

    private static void allocate(int count) {
        for (int i = 0; i < count; i++) {
            Work.sink = new Marker();
        }
    }

    @Test
    @Tag("J15")
    void everyObjectOfALoopIsCounted() {
        long size = Work.sizeOf(() -> allocate(1));

        HeapAmount seen =
                siteOf(Recordings.during(() -> allocate(5_000), Marker.class), Marker.class)
                        .allocated();

        assertThat(seen.samples()).isEqualTo(5_000);
        assertThat(seen.objects().value()).isEqualTo(5_000);
        assertThat(seen.objects().standardError()).isZero();
        assertThat(seen.bytes().value()).isEqualTo(5_000 * size);
        assertThat(seen.bytes().low()).isEqualTo(seen.bytes().high());
        assertThat(seen.sampledBytes()).isEqualTo(5_000 * size);
    }

    @Test
    @Tag("J3")
    void everyArrayIsCountedWhereverItIsAllocated() {
        // From inside the thread's buffer to regions of its own.
        int[] lengths = {0, 1, 100, 10_000, 100_000, 1_000_000, 5_000_000};
        List<Long> sizes = new ArrayList<>();
        for (int length : lengths) {
            sizes.add(Work.sizeOf(() -> Work.sink = new byte[length]));
        }

        try (HeapRecording recording = Recordings.exact(byte[].class)) {
            for (int length : lengths) {
                Work.sink = new byte[length];
            }
            HeapSnapshot snapshot = recording.snapshot();
            HeapAmount seen = siteOf(snapshot, byte[].class).allocated();
            assertThat(seen.samples()).isEqualTo(lengths.length);
            assertThat(seen.sampledBytes())
                    .isEqualTo(sizes.stream().mapToLong(Long::longValue).sum());
            List<Long> tracked =
                    samplesOf(snapshot, byte[].class).stream().map(HeapSample::size).toList();
            if (HeapSampler.status().collector() == GarbageCollector.Z_GENERATIONAL) {
                // There the largest might hold too much to be tracked for sure.
                assertThat(sizes).containsAll(tracked);
            } else {
                assertThat(tracked).containsExactlyInAnyOrderElementsOf(sizes);
            }
        }
    }

    @Test
    @Tag("J25")
    void totalsAreWhatTheJvmCountedForTheThread() {
        List<Object> kept = new ArrayList<>(1_000);
        mixedWork(kept);
        kept.clear();

        try (HeapRecording recording = Recordings.exact()) {
            long before = Work.allocatedBytes();
            mixedWork(kept);
            long allocated = Work.allocatedBytes() - before;

            assertThat(recording.snapshot().totals().allocated().bytes().value())
                    .isEqualTo(allocated);
        }
    }

    private static void mixedWork(List<Object> kept) {
        for (int i = 0; i < 100; i++) {
            kept.add(new Marker());
            kept.add(new int[i]);
            kept.add(new String[2][i]);
            kept.add(Integer.toString(1_000 + i));
            kept.add(new StringBuilder().append(i).append("th").toString());
            kept.add(new long[] {i}.clone());
            kept.add(Long.valueOf(1_000_000 + i));
        }
    }

    @Test
    @Tag("J25")
    void everyPartOfAMultiDimensionalArrayIsCounted() {
        HeapSnapshot seen = Recordings.during(() -> Work.sink = new Marker[3][4][5]);

        assertThat(siteOf(seen, Marker[][][].class).allocated().samples()).isEqualTo(1);
        assertThat(siteOf(seen, Marker[][].class).allocated().samples()).isEqualTo(3);
        assertThat(siteOf(seen, Marker[].class).allocated().samples()).isEqualTo(12);
    }

    @Test
    @Tag("J13")
    void sampleTellsThreadClassSizeStackAndTime() {
        long size = Work.sizeOf(() -> allocate(1));
        Thread thread = Thread.currentThread();
        Instant before = Instant.now();
        HeapSample sample;
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            allocate(1);
            sample = recording.snapshot().samples().get(0);
        }

        assertThat(sample.threadId()).hasValue(thread.getId());
        assertThat(sample.threadName()).isEqualTo(thread.getName());
        assertThat(sample.className()).isEqualTo(Marker.class.getName());
        assertThat(sample.size()).isEqualTo(size);
        assertThat(sample.weight()).isEqualTo(1);
        assertThat(sample.stack().get(0).methodName()).isEqualTo("allocate");
        // The tolerance is for a wall clock that is being corrected.
        assertThat(sample.allocatedAt())
                .isBetween(before.minusMillis(50), Instant.now().plus(Duration.ofMillis(50)));
        assertThat(sample.lastSeenAliveAt()).isNull();
        assertThat(sample.foundDeadAt()).isNull();
    }

    @Test
    @Tag("J25")
    void twoThreadsAreDistinguished() throws InterruptedException {
        Thread few = new Thread(() -> allocate(30), "few");
        Thread many = new Thread(() -> allocate(3_000), "many");
        try (HeapRecording recording = Recordings.ofAllThreads(0, Marker.class)) {
            few.start();
            many.start();
            Await.end(few);
            Await.end(many);

            assertThat(recording.snapshot().threads())
                    .extracting(ThreadTotals::threadName, t -> t.allocated().objects().value())
                    .containsExactlyInAnyOrder(
                            org.assertj.core.groups.Tuple.tuple("few", 30.0),
                            org.assertj.core.groups.Tuple.tuple("many", 3_000.0));
        }
    }

    @Test
    @Tag("J15")
    void threadThatRanBeforeIsExactOnceItsOldSamplePointIsPassed() throws Exception {
        Worker worker = new Worker();
        try (HeapRecording recording = Recordings.ofAllThreads(0, Marker.class)) {
            Work.retireBuffers();
            worker.run(Work::passOldSamplePoint);
            worker.run(() -> allocate(500));

            assertThat(siteOf(recording.snapshot(), Marker.class).allocated().samples())
                    .isEqualTo(500);
        } finally {
            worker.end();
        }
    }

    @Test
    @Tag("J25")
    void firstAllocationOfAThreadIsNotSampledMoreThanOthers() throws InterruptedException {
        // The JVM's shortest step is about 5e-4 intervals: 4 KiB here, so none can be due.
        int interval = 8 * 1024 * 1024;
        try (HeapRecording recording = Recordings.ofAllThreads(interval, Marker.class)) {
            for (int i = 0; i < 60; i++) {
                Thread thread = new Thread(() -> allocate(1));
                thread.start();
                Await.end(thread);
            }
            HeapSnapshot seen = recording.snapshot();
            assertThat(seen.totals().allocated().samples()).isZero();
        }
        // This thread now heads for a point up to 18 intervals away.
        try (HeapRecording usual = Recordings.every(CleanSampler.DEFAULT_INTERVAL)) {
            assertThat(usual.isOpen()).isTrue();
            for (int i = 0; i < 15; i++) {
                Work.passOldSamplePoint();
            }
        }
    }

    @Test
    @Tag("J15")
    void bytesAllocatedWhileSamplingWasOffWeighNothing() throws Exception {
        assumeTrue(Runtime.version().feature() >= 25, "before 25 the JVM does not count them");
        // 18 intervals pass unseen, so that JDK 25 reports the next slow allocation at once.
        Worker worker = new Worker();
        worker.run(Work::passOldSamplePoint);
        try (HeapRecording recording =
                Recordings.ofAllThreads(CleanSampler.DEFAULT_INTERVAL, Marker.class)) {
            worker.run(() -> Work.sink = Native.newObject(Marker.class));

            // A true sample comes here in one of 16,000 runs: 32 of 524,288 bytes.
            HeapSnapshot seen = recording.snapshot();
            assertThat(seen.totals().allocated().samples()).isZero();
        } finally {
            worker.end();
        }
    }

    @Test
    @Tag("J29")
    void otherEventsOfAnotherAgentGoOnBesideSampling() {
        assertThat(Native.listenToVmObjects(true)).isZero();
        try {
            long before = Native.vmObjectsSeen();
            int[] original = new int[10];
            HeapSnapshot seen =
                    Recordings.during(
                            () -> {
                                for (int i = 0; i < 100; i++) {
                                    Work.sink = original.clone();
                                    Work.sink = Native.newObject(Marker.class);
                                }
                            });
            assertThat(Recordings.objectsOf(seen, int[].class)).isEqualTo(100);
            assertThat(Recordings.objectsOf(seen, Marker.class)).isEqualTo(100);
            assertThat(Native.vmObjectsSeen() - before).isPositive();
        } finally {
            assertThat(Native.listenToVmObjects(false)).isZero();
        }
    }

    @Test
    @Tag("J17")
    void snapshotOfFewSamplesSaysSo() {
        String few = "few-samples";

        assertThat(Recordings.during(() -> allocate(9), Marker.class).notes())
                .extracting(Note::id)
                .contains(few);
        assertThat(Recordings.during(() -> allocate(10), Marker.class).notes())
                .extracting(Note::id)
                .doesNotContain(few);
        assertThat(HeapSampler.status().isSampling()).isFalse();
    }
}
