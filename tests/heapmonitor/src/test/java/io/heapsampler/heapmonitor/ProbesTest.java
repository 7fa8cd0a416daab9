// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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

    private final List<double[]> held = new ArrayList<>();

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

    /** Allocates a part of the sizes; every second array is garbage. */
    private void allocate(int first, int step) {
        for (int i = first; i < COUNT; i += step) {
            double[] array = new double[i];
            Work.sink = array;
            if (i / step % 2 == 0) {
                synchronized (held) {
                    held.add(array);
                }
            }
        }
    }

    private void allocate(int threadCount) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i < threadCount; i++) {
            int first = i;
            threads.add(new Thread(() -> allocate(first, threadCount)));
        }
        threads.forEach(Thread::start);
        allocate(0, threadCount);
        for (Thread thread : threads) {
            Await.end(thread);
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
                : ChronoUnit.MICROS.between(Instant.EPOCH, ((HeapSample) one).allocatedAt());
    }

    /**
     * Returns the events while arrays are allocated, up to a snapshot, which is added to the
     * result. The listener comes first: it misses no sample.
     */
    private List<String> listen(long interval, int threads, List<HeapSnapshot> result)
            throws Exception {
        try (Listener listener = Listener.begin(folder);
                HeapRecording recording = Recordings.ofAllThreads(interval, double[].class)) {
            allocate(threads);
            result.add(recording.snapshot(SnapshotOptions.afterGc()));
            return listener.end();
        } finally {
            Reference.reachabilityFence(held);
        }
    }

    private List<String> assertHeardIsAlive(long interval, int tracked, int threads)
            throws Exception {
        limit(tracked);
        List<HeapSnapshot> result = new ArrayList<>();
        List<String> events = listen(interval, threads, result);
        Collection<Listener.Heard> heard = Listener.alive(events).values();
        List<HeapSample> alive = alive(result.get(0));

        assertSame(heard, alive);
        assertThat(heard.stream().mapToDouble(Listener.Heard::weightedBytes).sum())
                .isCloseTo(
                        alive.stream().mapToDouble(ProbesTest::weightedBytes).sum(),
                        within(0.5 * heard.size()));
        assertThat(events).anyMatch(e -> e.contains("otel_memory:free"));
        return events;
    }

    @Test
    void everyObject() throws Exception {
        assertHeardIsAlive(0, 2 * COUNT, 1);
    }

    @Test
    void samplesStandForOthers() throws Exception {
        assertHeardIsAlive(64 * 1024, 2 * COUNT, 1);
    }

    @Test
    void samplesThatAreThinnedAreFreedAndTheOthersWeighMore() throws Exception {
        List<String> events = assertHeardIsAlive(0, 256, 1);
        assertThat(events).anyMatch(e -> e.contains("heapsampler:weight"));
    }

    @Test
    void eventsOfAnIdComeInTheirOrder() throws Exception {
        assertHeardIsAlive(0, 64, 4);
    }

    @Test
    void aClosedRecordingFreesItsSamples() throws Exception {
        limit(2 * COUNT);
        try (Listener listener = Listener.begin(folder)) {
            try (HeapRecording recording = Recordings.exact(double[].class)) {
                allocate(1);
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
        Stream<String> threads =
                listen(0, 1, new ArrayList<>()).stream()
                        .filter(e -> e.contains("otel_memory:alloc"))
                        .map(e -> e.split(" ")[0]);
        assertThat(threads).isNotEmpty().containsOnly(self.toString());
    }
}
