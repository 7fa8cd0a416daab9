// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static io.heapsampler.heapmonitor.Recordings.objectsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a recording accepts, how recordings run beside each other, and how they end. */
@ExtendWith(CleanSampler.class)
class RecordingTest {

    private static final class Marker {}

    private static final class Other {}

    private static void allocate(int count) {
        for (int i = 0; i < count; i++) {
            Work.sink = new Marker();
            Work.sink = new Other();
        }
    }

    private static HeapSnapshot duringAllocation(RecordingOptions.Builder options) {
        try (HeapRecording recording =
                HeapSampler.record(options.interval(0).thread(Thread.currentThread()).build())) {
            Work.sink = new Marker[3];
            Work.sink = "text" + Work.sink.hashCode();
            allocate(20);
            return recording.snapshot();
        }
    }

    @Test
    @Tag("J21")
    void threadsThatWereNotNamedGiveNothing() throws InterruptedException {
        Thread mine = new Thread(() -> allocate(100), "mine");
        Thread other = new Thread(() -> allocate(100), "other");
        try (HeapRecording recording = Recordings.exactOf(mine, Marker.class)) {
            mine.start();
            other.start();
            Await.end(mine);
            Await.end(other);
            allocate(100);

            HeapSnapshot seen = recording.snapshot();
            assertThat(objectsOf(seen, Marker.class)).isEqualTo(100);
            assertThat(seen.threads()).hasSize(1);
            assertThat(seen.threads().get(0).threadName()).isEqualTo("mine");
            assertThat(seen.threads().get(0).threadId()).hasValue(mine.getId());
        }
    }

    @Test
    @Tag("J21")
    void severalThreadsCanBeNamed() throws InterruptedException {
        List<Thread> named = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            named.add(new Thread(() -> allocate(10)));
        }
        RecordingOptions options =
                RecordingOptions.builder()
                        .interval(0)
                        .threads(named)
                        .className(Marker.class.getName())
                        .build();
        try (HeapRecording recording = HeapSampler.record(options)) {
            for (Thread thread : named) {
                thread.start();
                Await.end(thread);
            }
            assertThat(recording.snapshot().threads())
                    .hasSize(5)
                    .allSatisfy(t -> assertThat(t.allocated().samples()).isEqualTo(10));
        }
    }

    @Test
    @Tag("J12")
    void onlyNamedClassesAreSeen() {
        HeapSnapshot seen =
                duringAllocation(
                        RecordingOptions.builder()
                                .className(Marker.class.getName())
                                .className("byte[]"));

        assertThat(objectsOf(seen, Marker.class)).isEqualTo(20);
        assertThat(objectsOf(seen, byte[].class)).isPositive();
        assertThat(seen.classes())
                .extracting(c -> c.className())
                .containsExactlyInAnyOrder(Marker.class.getName(), "byte[]");
    }

    @Test
    @Tag("J12")
    void onlyNamedPackagesAndThoseBelowAreSeen() {
        String here = RecordingTest.class.getPackageName();
        String above = here.substring(0, here.lastIndexOf('.'));
        for (String name : List.of(here, above)) {
            HeapSnapshot seen = duringAllocation(RecordingOptions.builder().packageName(name));
            assertThat(objectsOf(seen, Marker.class)).isEqualTo(20);
            assertThat(objectsOf(seen, Other.class)).isEqualTo(20);
            assertThat(objectsOf(seen, Marker[].class)).isEqualTo(1);
            assertThat(seen.classes())
                    .allSatisfy(c -> assertThat(c.className()).startsWith(here + "."));
        }
    }

    @Test
    @Tag("J12")
    void packageIsNoMerePrefix() {
        String here = RecordingTest.class.getPackageName();

        assertThat(
                        duringAllocation(
                                        RecordingOptions.builder()
                                                .packageName(here.substring(0, here.length() - 1)))
                                .sites())
                .isEmpty();
    }

    @Test
    @Tag("J12")
    void classesAndPackagesAddUp() {
        HeapSnapshot seen =
                duringAllocation(
                        RecordingOptions.builder()
                                .className(Marker.class.getName())
                                .packageName("java.lang"));

        assertThat(objectsOf(seen, Marker.class)).isEqualTo(20);
        assertThat(objectsOf(seen, String.class)).isPositive();
        assertThat(objectsOf(seen, Other.class)).isZero();
    }

    @Test
    @Tag("J12")
    void filteredSampleIsFarCheaperForItsStackIsNotWalked() {
        deep(100, () -> Work.sink = new Marker());
        long wanted = Long.MAX_VALUE;
        long unwanted = Long.MAX_VALUE;
        for (int i = 0; i < 20 && (i < 3 || unwanted >= wanted / 2); i++) {
            wanted = Math.min(wanted, cost(Marker.class));
            unwanted = Math.min(unwanted, cost(Other.class));
        }

        // In truth a tenth or less.
        assertThat(unwanted).isLessThan(wanted / 2);
    }

    private static long cost(Class<?> type) {
        try (HeapRecording recording = Recordings.exact(type)) {
            long before = Work.cpuNanos();
            deep(
                    100,
                    () -> {
                        for (int i = 0; i < 500; i++) {
                            Work.sink = new Marker();
                        }
                    });
            long cost = Work.cpuNanos() - before;
            assertThat(objectsOf(recording.snapshot(), Marker.class))
                    .isEqualTo(type == Marker.class ? 500 : 0);
            return cost;
        }
    }

    private static void deep(int depth, Runnable leaf) {
        if (depth == 0) {
            leaf.run();
        } else {
            deep(depth - 1, leaf);
        }
    }

    @Test
    void recordingsSeeOnlyWhatFallsIntoTheirTime() {
        try (HeapRecording whole = Recordings.exact(Marker.class)) {
            allocate(1);
            try (HeapRecording part = Recordings.exact(Marker.class)) {
                allocate(10);
                assertThat(objectsOf(part.snapshot(), Marker.class)).isEqualTo(10);
                whole.stop();
                allocate(100);
                assertThat(objectsOf(part.snapshot(), Marker.class)).isEqualTo(110);
            }
            assertThat(objectsOf(whole.snapshot(), Marker.class)).isEqualTo(11);
        }
    }

    @Test
    void recordingIsIndependentOfTheProcessWideSampler() {
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            allocate(1);
            HeapSampler.start();
            allocate(1);
            HeapSampler.reset();
            allocate(1);
            HeapSampler.stop();
            HeapSampler.reset();
            allocate(1);
            assertThat(objectsOf(recording.snapshot(), Marker.class)).isEqualTo(4);
            assertThat(HeapSampler.snapshot().sites()).isEmpty();
        }
    }

    @Test
    void recordingEndsAfterItsDuration() {
        Duration duration = Duration.ofMillis(200);
        RecordingOptions options =
                RecordingOptions.builder()
                        .interval(0)
                        .thread(Thread.currentThread())
                        .className(Marker.class.getName())
                        .duration(duration)
                        .build();
        int first = 0;
        long opened;
        HeapRecording recording;
        do { // until the machine lets us allocate in time
            opened = System.nanoTime();
            recording = HeapSampler.record(options);
            allocate(10);
            if (System.nanoTime() - opened < duration.toNanos()) {
                first = 10;
            } else {
                recording.close();
            }
        } while (first == 0);
        try (HeapRecording open = recording) {
            assertThat(objectsOf(open.snapshot(), Marker.class)).isEqualTo(first);
            Await.untilNanos(System.nanoTime() + duration.toNanos());
            allocate(50);

            assertThat(open.isOpen()).isTrue();
            assertThat(objectsOf(open.snapshot(), Marker.class)).isEqualTo(first);
            assertThat(open.snapshot().duration()).isEqualTo(duration);
        }
    }

    @Test
    void stoppedRecordingKeepsItsData() {
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            allocate(10);
            recording.stop();
            recording.stop();
            allocate(10);

            assertThat(recording.isOpen()).isTrue();
            assertThat(objectsOf(recording.snapshot(), Marker.class)).isEqualTo(10);
            assertThat(HeapSampler.status().isSampling()).isFalse();
        }
    }

    @Test
    void closedRecordingRefusesUseAndItsSnapshotsStay() {
        HeapRecording recording = Recordings.exact(Marker.class);
        allocate(10);
        HeapSnapshot taken = recording.snapshot();
        recording.close();
        recording.close();

        assertThat(recording.isOpen()).isFalse();
        assertThat(recording.options().interval()).isZero();
        assertThat(objectsOf(taken, Marker.class)).isEqualTo(10);
        assertThat(taken.sites().get(0).stack()).isNotEmpty();
        assertThatIllegalStateException()
                .isThrownBy(recording::snapshot)
                .withMessageContaining("This recording is closed")
                .withMessageContaining("HeapSampler.record()");
        assertThatIllegalStateException().isThrownBy(recording::stop);
        assertThatIllegalStateException().isThrownBy(() -> recording.setInterval(1));
        assertThat(HeapSampler.status().recordings()).isZero();
    }

    @Test
    void sixtyFourRecordingsCanBeOpenAndOneMoreIsRefused() {
        List<HeapRecording> open = new ArrayList<>();
        try {
            for (int i = 0; i < 64; i++) {
                open.add(Recordings.exact(Marker.class));
            }
            assertThatIllegalStateException()
                    .isThrownBy(() -> Recordings.exact(Marker.class))
                    .withMessageContaining("64 can be open at once");
            allocate(3);
            assertThat(open)
                    .allSatisfy(
                            r -> assertThat(objectsOf(r.snapshot(), Marker.class)).isEqualTo(3));
        } finally {
            open.forEach(HeapRecording::close);
        }
        assertThat(HeapSampler.status().recordings()).isZero();
    }
}
