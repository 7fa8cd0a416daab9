// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.heapsampler.Estimate;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteGrowth;
import io.heapsampler.SnapshotOptions;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A leak among caches. All is sampled at 4 KiB, so a site with 1 MB has 250 samples and is known to
 * 6 %: the leak grows by 10 times its error, the caches do not grow at all.
 *
 * <p>Of those whose entries stay it is certain: what lives in all snapshots has no slope, and no
 * error. That of the one that exchanges its entries is chance; beyond 5 errors is seen 6 times in
 * 10 million.
 */
class GrowthTest {

    private static final int SNAPSHOTS = 6;
    private static final int SIZE = 256;

    private final List<byte[]> leak = new ArrayList<>();
    private final ArrayDeque<byte[]> exchanging = new ArrayDeque<>();
    private final List<byte[]> table = new ArrayList<>();
    private final List<byte[]> full = new ArrayList<>();

    private byte[] leaking() {
        return Allocator.array(SIZE);
    }

    private byte[] caching() {
        return Allocator.array(SIZE);
    }

    private byte[] filling() {
        return Allocator.array(SIZE);
    }

    private byte[] filled() {
        return Allocator.array(SIZE);
    }

    /**
     * 250 KB more in the leak; 1 MB in the cache, all of it exchanged; 2 MB in the table, once, in
     * the second round, and in another one in the first.
     */
    private void work(int round) {
        while (full.size() < 8_000) {
            full.add(filled());
        }
        for (int i = 0; i < 1_000; i++) {
            leak.add(leaking());
        }
        for (int i = 0; i < 4_000; i++) {
            exchanging.add(caching());
            if (exchanging.size() > 4_000) {
                exchanging.remove();
            }
        }
        while (round > 0 && table.size() < 8_000) {
            table.add(filling());
        }
    }

    private static SiteGrowth through(HeapGrowth growth, String method) {
        return growth.sites().stream()
                .filter(site -> site.stack().stream().anyMatch(f -> f.methodName().equals(method)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void trueLeakComesFirstAndFullCachesLast() {
        assumeFalse(
                HeapSampler.status().collector() == GarbageCollector.EPSILON,
                "Epsilon never collects");
        List<HeapSnapshot> snapshots = new ArrayList<>();
        try (HeapRecording recording = Sums.ofThisThread(4_096)) {
            for (int i = 0; i < SNAPSHOTS; i++) {
                work(i);
                snapshots.add(recording.snapshot(SnapshotOptions.afterGc()));
            }
        }
        HeapGrowth growth = HeapGrowth.of(snapshots);
        SiteGrowth leaking = through(growth, "leaking");
        SiteGrowth caching = through(growth, "caching");
        SiteGrowth filling = through(growth, "filling");
        SiteGrowth filled = through(growth, "filled");

        assertThat(growth.sites().get(0)).isSameAs(leaking);
        assertThat(growth.sites()).containsSubsequence(leaking, filling, filled);
        assertThat(growth.growing()).contains(leaking).doesNotContain(filling, filled);
        assertThat(leaking.birthEpochs()).isGreaterThanOrEqualTo(SNAPSHOTS - 1);
        assertThat(filling.birthEpochs()).isLessThanOrEqualTo(2);
        assertThat(filling.recentBytesPerSecond().value()).isZero();
        assertThat(filling.bytesPerSecond().low()).isPositive();
        assertThat(filled.bytesPerSecond().value()).isZero();
        assertThat(filled.bytesPerSecond().standardError()).isZero();
        Estimate slope = caching.bytesPerSecond();
        assertThat(Math.abs(slope.value())).isLessThan(5 * slope.standardError());
        assertThat(slope.value()).isLessThan(leaking.bytesPerSecond().low());
        // Each time 1,000 more. Rounds take about as long as each other: within a factor of 2.
        double perSecond = (SNAPSHOTS - 1) * 1_000.0 * SIZE / (growth.elapsed().toNanos() / 1e9);
        assertThat(leaking.bytesPerSecond().value()).isBetween(perSecond / 2, perSecond * 2);
        Reference.reachabilityFence(leak);
        Reference.reachabilityFence(exchanging);
        Reference.reachabilityFence(table);
        Reference.reachabilityFence(full);
    }
}
