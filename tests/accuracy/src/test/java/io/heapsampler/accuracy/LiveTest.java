// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.heapsampler.DropCause;
import io.heapsampler.Estimate;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapHistogram;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.Survival;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Live estimates against the objects that the program holds. Bounds are 5 deviations of the truth
 * below and 6 above: at most 6 in 10 million, with 70 samples too.
 */
class LiveTest {

    private static final int SIZE = 64;
    private static final long INTERVAL = 512;

    @BeforeEach
    void needsCollections() {
        assumeFalse(
                HeapSampler.status().collector() == GarbageCollector.EPSILON,
                "Epsilon never collects");
    }

    @AfterEach
    void restoreOptions() {
        HeapSampler.stop();
        HeapSampler.reset();
        HeapSampler.start(SamplerOptions.builder().build());
        HeapSampler.stop();
        HeapSampler.reset();
    }

    private static byte[] make() {
        return make(SIZE);
    }

    private static byte[] make(int size) {
        return Allocator.array(size);
    }

    /**
     * The deviation of an estimate of n objects of which each sample stands for w is √(n · (w −
     * 1)).
     */
    private static void assertLive(HeapSnapshot snapshot, long objects) {
        List<HeapSite> sites = Sums.through(snapshot, LiveTest.class, "make");
        HeapAmount live = Sums.sum(sites, HeapFigures::live);
        double weight =
                sites.stream()
                        .flatMap(site -> site.samples().stream())
                        .filter(sample -> sample.liveness() == Liveness.LIVE)
                        .mapToDouble(HeapSample::weight)
                        .max()
                        .orElse(1);
        double z = (live.objects().value() - objects) / Math.sqrt(objects * (weight - 1));
        System.out.printf(
                "accuracy: live objects=%d estimate=%s weight=%.0f z=%.2f%n",
                objects, live.objects(), weight, z);
        assertThat(z).isBetween(-5.0, 6.0);
        assertThat(Sums.sum(sites, HeapFigures::unconfirmed).samples())
                .as("all is confirmed after a collection")
                .isZero();
    }

    // 40,000 arrays of 64 bytes at 512: about 4,700 samples, and as many of garbage. A budget of
    // 65,536 holds them all, one of 1,000 keeps 1 in 8 or 16, one of 300 1 in 32 or 64: some 100.
    @ParameterizedTest
    @ValueSource(ints = {65_536, 1_000, 300})
    void liveSetIsKnownWithAndFarAboveTheBudget(int budget) {
        HeapSampler.stop();
        HeapSampler.reset();
        HeapSampler.start(SamplerOptions.builder().maxTracked(budget).build());
        HeapSampler.stop();
        List<byte[]> held = new ArrayList<>();
        try (HeapRecording recording = Sums.ofThisThread(INTERVAL)) {
            for (int i = 0; i < 40_000; i++) {
                held.add(make());
                Allocator.sink = make();
            }
            HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());
            assertLive(snapshot, 40_000);
            assertThat(snapshot.dropped().get(DropCause.THINNED) > 0).isEqualTo(budget < 2_000);
            Reference.reachabilityFence(held);
        }
    }

    // Some 800 samples of all sizes: small ones of which each stands for many, large ones that are
    // all
    // known. A budget of 300 keeps 1 in 4 or so; the largest are then unknown by half, which is why
    // the error is
    // that of the estimate, as told, carried over to the truth.
    @ParameterizedTest
    @ValueSource(ints = {65_536, 300})
    void liveBytesOfMixedSizesAreKnown(int budget) {
        HeapSampler.stop();
        HeapSampler.reset();
        HeapSampler.start(SamplerOptions.builder().maxTracked(budget).build());
        HeapSampler.stop();
        int[] sizes = {16, 64, 200, 1_416, 8_192};
        int[] counts = {20_000, 10_000, 5_000, 700, 100};
        List<byte[]> held = new ArrayList<>();
        try (HeapRecording recording = Sums.ofThisThread(4_096)) {
            double truth = 0;
            for (int kind = 0; kind < sizes.length; kind++) {
                for (int i = 0; i < counts[kind]; i++) {
                    held.add(make(sizes[kind]));
                    Allocator.sink = make(sizes[kind]);
                    truth += sizes[kind];
                }
            }
            HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());
            Estimate live = Sums.live(snapshot, LiveTest.class, "make").bytes();
            double z =
                    (live.value() - truth) / live.standardError() * Math.sqrt(live.value() / truth);
            System.out.printf(
                    "accuracy: live bytes=%.0f estimate=%s budget=%d z=%.2f%n",
                    truth, live, budget, z);
            assertThat(z).isBetween(-5.0, 6.0);
            assertThat(live.standardError() / truth).isLessThan(budget < 1_000 ? 0.3 : 0.1);
            Reference.reachabilityFence(held);
        }
    }

    @Test
    void queueThatIsFullHoldsWhatItHolds() {
        ArrayDeque<byte[]> queue = new ArrayDeque<>();
        try (HeapRecording recording = Sums.ofThisThread(INTERVAL)) {
            for (int i = 0; i < 100_000; i++) {
                queue.add(make());
                if (queue.size() > 20_000) {
                    queue.remove();
                }
            }
            assertLive(recording.snapshot(SnapshotOptions.afterGc()), 20_000);
            Reference.reachabilityFence(queue);
        }
    }

    @Test
    void treeThatShrinksAndGrowsHoldsWhatItHolds() {
        TreeMap<Integer, byte[]> tree = new TreeMap<>();
        try (HeapRecording recording = Sums.ofThisThread(INTERVAL)) {
            for (int i = 0; i < 60_000; i++) {
                tree.put(i, make());
            }
            tree.keySet().removeIf(key -> key % 3 != 0);
            assertLive(recording.snapshot(SnapshotOptions.afterGc()), 20_000);
            for (int i = 0; i < 10_000; i++) {
                tree.put(-1 - i, make());
            }
            assertLive(recording.snapshot(SnapshotOptions.afterGc()), 30_000);
            Reference.reachabilityFence(tree);
        }
    }

    // Half of what one site makes is dropped at once, half is kept for good. So half reaches one
    // collection, and all of these the next ones: without the living it would be none, without the
    // dead all.
    @Test
    void survivalTakesTheLivingIntoAccount() {
        List<byte[]> held = new ArrayList<>();
        try (HeapRecording recording = Sums.ofThisThread(INTERVAL)) {
            for (int round = 0; round < 4; round++) {
                for (int i = 0; i < 10_000; i++) {
                    byte[] made = make();
                    if (i % 2 == 0) {
                        held.add(made);
                    }
                }
                recording.snapshot(SnapshotOptions.afterGc()); // counted and swept when it returns
            }
            HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());
            List<HeapSite> sites = Sums.through(snapshot, LiveTest.class, "make");
            Survival survival = sites.get(0).survival(HeapHistogram.Unit.COLLECTIONS);

            assertThat(sites).hasSize(1);
            for (int survived = 1; survived <= 3; survived++) {
                double error = survival.standardError(survived).orElseThrow();
                assertThat(error).isBetween(0.001, 0.05);
                assertThat((survival.reaching(survived).orElseThrow() - 0.5) / error)
                        .isBetween(-5.0, 5.0);
            }
            Reference.reachabilityFence(held);
        }
    }
}
