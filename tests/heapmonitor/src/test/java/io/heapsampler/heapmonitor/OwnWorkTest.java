// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.DropCause;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the sampler itself does: unseen in its own figures, and in daemon threads that end. */
@ExtendWith(CleanSampler.class)
class OwnWorkTest {

    private static final class Marker {}

    static List<Thread> samplerThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().startsWith("HeapSampler"))
                .toList();
    }

    /** To be called when nothing is sampled any more: it allocates a lot. */
    private static void assertOwnWorkUnseen(HeapSnapshot snapshot) {
        Set<String> classes = new TreeSet<>();
        for (HeapSite site : snapshot.sites()) {
            for (HeapFrame frame : site.stack()) {
                classes.add(frame.className());
            }
        }
        assertThat(classes)
                .isNotEmpty()
                .noneMatch(n -> n.matches("io\\.heapsampler\\.(internal\\.)?[^.]+"));
        assertThat(snapshot.threads())
                .extracting(t -> t.threadName())
                .noneMatch(n -> n.startsWith("HeapSampler"));
    }

    @Test
    void snapshotsAreNotSeenInSnapshots() {
        Work.sink = new Marker(); // here its class is loaded, which allocates
        try (HeapRecording recording = Recordings.exact()) {
            HeapSnapshot last = null;
            for (int i = 0; i < 20; i++) {
                Work.sink = new Marker();
                last = recording.snapshot();
            }
            recording.stop();
            assertThat(last.dropped().get(DropCause.OWN)).isPositive();
            assertThat(last.totals().allocated().samples()).isEqualTo(20);
            assertOwnWorkUnseen(last);
        }
    }

    @Test
    void everyCallOfTheFacadeIsUnseen() {
        HeapSampler.start(SamplerOptions.builder().interval(0).build());
        try (HeapRecording recording = Recordings.exact()) {
            for (int i = 0; i < 5; i++) {
                HeapSampler.snapshot(SnapshotOptions.afterGc());
                HeapSampler.setInterval(100);
                HeapSampler.setInterval(0);
                HeapSampler.reset();
                HeapSampler.stop();
                HeapSampler.start();
                HeapSampler.unavailability();
                HeapSampler.status();
            }
            HeapSnapshot snapshot = recording.snapshot();
            recording.stop();
            HeapSampler.stop();
            assertThat(snapshot.sites()).isEmpty();
            assertThat(snapshot.totals().allocated().samples()).isZero();
        }
    }

    @Test
    void readingASnapshotIsUnseen() {
        try (HeapRecording recording = Recordings.exact()) {
            for (int i = 0; i < 10; i++) {
                Work.sink = new Marker();
            }
            HeapSnapshot snapshot = recording.snapshot();
            // Views are made when they are requested, by the facade on our behalf.
            for (HeapSample sample : snapshot.samples()) {
                Work.sink = sample.stack().get(0).toString();
                Work.sink = sample.allocatedAt();
                Work.sink = sample.site().ages();
            }
            Work.sink = snapshot.diff(snapshot).growing();
            recording.stop();
            assertOwnWorkUnseen(recording.snapshot());
        }
    }

    @Test
    void sweeperAndItsThreadAreUnseen() throws Exception {
        Await.assumeCollections();
        HeapSampler.start(SamplerOptions.builder().interval(0).build());
        for (int i = 0; i < 1_000; i++) {
            Work.sink = new Marker();
        }
        long sweeps = HeapSampler.status().sweeps();
        Await.until(
                "sweeps",
                () -> {
                    System.gc();
                    return HeapSampler.status().sweeps() > sweeps + 2;
                });
        HeapSampler.stop();
        assertOwnWorkUnseen(HeapSampler.snapshot());
    }

    @Test
    void backgroundThreadsAreDaemonsAndEndWithSampling() throws Exception {
        Await.until("no thread before the start", () -> samplerThreads().isEmpty());
        HeapSampler.start();
        Await.until("a thread while sampling", () -> !samplerThreads().isEmpty());
        assertThat(samplerThreads()).hasSize(1).allMatch(Thread::isDaemon);
        try (HeapRecording recording = Recordings.exact(Marker.class)) {
            assertThat(recording.isOpen()).isTrue();
            assertThat(samplerThreads()).hasSize(1);
            HeapSampler.stop();
            assertThat(samplerThreads()).hasSize(1);
        }
        Await.until("no thread after the end", () -> samplerThreads().isEmpty());
    }
}
