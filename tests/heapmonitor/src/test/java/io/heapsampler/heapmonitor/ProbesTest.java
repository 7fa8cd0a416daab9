// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A listener outside the process knows from the probes alone what the snapshot says is alive. */
@ExtendWith(CleanSampler.class)
class ProbesTest {

    private static final int PLACE_BITS = 22;
    private static final int COUNT = 2_000;

    private final List<long[]> held = new ArrayList<>();

    @TempDir private Path folder;

    @AfterAll
    static void restoreLimits() {
        CleanSampler.restoreLimits();
    }

    @BeforeEach
    void needsCollections() {
        Await.assumeCollections();
    }

    private static void limit(int tracked) {
        HeapSampler.start(SamplerOptions.builder().maxTracked(tracked).build());
        HeapSampler.stop();
        HeapSampler.reset();
    }

    /** Every second one is garbage. */
    private void allocate() {
        for (int i = 0; i < COUNT; i++) {
            long[] array = new long[i];
            Work.sink = array;
            if (i % 2 == 0) {
                held.add(array);
            }
        }
        Work.sink = null;
    }

    private static List<HeapSample> alive(HeapSnapshot snapshot) {
        return snapshot.samples().stream().filter(s -> s.liveness() != Liveness.DEAD).toList();
    }

    private static double weightedBytes(HeapSample sample) {
        return sample.weight() * sample.size();
    }

    private static long timeOf(Listener.Heard heard) {
        return heard.id() >>> PLACE_BITS;
    }

    /** Ids hold the time of allocation on another clock: the same is between both for each. */
    private static long between(HeapSample sample, Listener.Heard heard) {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, sample.allocatedAt());
        return micros - timeOf(heard) & (1L << Long.SIZE - PLACE_BITS) - 1;
    }

    private static void assertSame(Collection<Listener.Heard> heard, List<HeapSample> samples) {
        List<Listener.Heard> left = inOrder(heard, Comparator.comparing(Listener.Heard::size));
        List<HeapSample> right = inOrder(samples, Comparator.comparing(HeapSample::size));
        assertThat(left).hasSameSizeAs(right).isNotEmpty();
        long between = between(right.get(0), left.get(0));
        for (int i = 0; i < left.size(); i++) {
            assertThat(left.get(i).size()).isEqualTo(right.get(i).size());
            assertThat(Math.abs(left.get(i).weightedBytes() - weightedBytes(right.get(i))))
                    .as("%s and %s", left.get(i), right.get(i))
                    .isLessThanOrEqualTo(0.51);
            assertThat(between(right.get(i), left.get(i))).isEqualTo(between);
        }
    }

    /** By size and, where two arrays have the same one, by time. */
    private static <T> List<T> inOrder(Collection<T> all, Comparator<T> bySize) {
        return all.stream().sorted(bySize.thenComparing(ProbesTest::time)).toList();
    }

    private static long time(Object one) {
        return one instanceof Listener.Heard heard
                ? timeOf(heard)
                : ChronoUnit.MICROS.between(
                        Instant.EPOCH, ((HeapSample) one).allocatedAt());
    }

    /** Returns the events while arrays were allocated at an interval, and a snapshot was taken. */
    private List<String> listen(HeapRecording recording, List<HeapSnapshot> result)
            throws Exception {
        try (Listener listener = Listener.begin(folder)) {
            allocate();
            result.add(recording.snapshot(SnapshotOptions.afterGc()));
            return listener.end();
        } finally {
            Reference.reachabilityFence(held);
        }
    }

    private void assertHeardIsAlive(long interval, int tracked) throws Exception {
        limit(tracked);
        try (HeapRecording recording = Recordings.every(interval, long[].class)) {
            List<HeapSnapshot> result = new ArrayList<>();
            List<String> events = listen(recording, result);
            Map<Long, Listener.Heard> heard = Listener.alive(events);
            assertSame(heard.values(), alive(result.get(0)));
            double sum = heard.values().stream().mapToLong(Listener.Heard::weightedBytes).sum();
            assertThat(sum)
                    .isCloseTo(
                            alive(result.get(0)).stream()
                                    .mapToDouble(ProbesTest::weightedBytes)
                                    .sum(),
                            withinPercentage(0.01));
            assertThat(events).anyMatch(e -> e.contains("otel_memory:free"));
            if (tracked < COUNT / 2) {
                assertThat(events).anyMatch(e -> e.contains("heapsampler:weight"));
            }
        }
    }

    @Test
    void everyObject() throws Exception {
        assertHeardIsAlive(0, 2 * COUNT);
    }

    @Test
    void samplesStandForOthers() throws Exception {
        assertHeardIsAlive(64 * 1024, 2 * COUNT);
    }

    @Test
    void samplesThatAreThinnedAreFreedAndTheOthersWeighMore() throws Exception {
        assertHeardIsAlive(0, 256);
    }

    @Test
    void aClosedRecordingFreesItsSamples() throws Exception {
        limit(2 * COUNT);
        try (Listener listener = Listener.begin(folder)) {
            try (HeapRecording recording = Recordings.exact(long[].class)) {
                allocate();
                assertThat(recording.snapshot().samples()).isNotEmpty();
            }
            List<String> events = listener.end();
            assertThat(events.stream().filter(e -> e.contains("alloc")).count())
                    .isEqualTo(COUNT)
                    .isEqualTo(events.stream().filter(e -> e.contains("free")).count());
            assertThat(Listener.alive(events)).isEmpty();
        }
    }

    @Test
    void eventsComeFromTheAllocatingThread() throws Exception {
        limit(2 * COUNT);
        Path self = Path.of("/proc/thread-self").toRealPath().getFileName();
        try (HeapRecording recording = Recordings.exact(long[].class)) {
            List<String> events = listen(recording, new ArrayList<>());
            Stream<String> threads =
                    events.stream()
                            .filter(e -> e.contains("otel_memory:alloc"))
                            .map(e -> e.split(" ")[0]);
            assertThat(threads).isNotEmpty().containsOnly(self.toString());
        }
    }
}
