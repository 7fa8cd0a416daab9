// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.heapsampler.DropCause;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFigures;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SnapshotOptions;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Live humongous objects under G1, where tracking them keeps the dead ones, so that only as many
 * are tracked as a sixteenth of the maximum heap size has room for.
 */
class LargeLiveTest {

    private static final int SMALL = 64;
    private static final int SMALL_COUNT = 20_000;

    @BeforeEach
    void needsG1() {
        assumeTrue(
                HeapSampler.status().collector() == GarbageCollector.G1,
                "other collectors: LiveTest");
    }

    private static byte[] makeLarge(int bytes) {
        return Allocator.array(bytes);
    }

    private static byte[] makeSmall() {
        return Allocator.array(SMALL);
    }

    private static int regionBytes() {
        HotSpotDiagnosticMXBean bean =
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        return Integer.parseInt(bean.getVMOption("G1HeapRegionSize").getValue());
    }

    // A sixth of the maximum heap size, of which each array is charged a region: at most 3 of 8 can
    // be tracked, so 1 in 4 or, after a rise too many, in 8: some 30 of 250. As many more are
    // garbage. Small objects beside them keep their places. Bounds: of 31 on average 10 or fewer,
    // or 63 or more, 2 in a million. With weights of half of what they should be, z is -5.
    @Test
    void aSixthOfTheHeapInHumongousArraysIsKnownThoughFewAreTracked() {
        int region = regionBytes();
        int bytes = region / 8 * 5;
        int count = (int) (Runtime.getRuntime().maxMemory() / 6 / region);
        List<byte[]> held = new ArrayList<>();
        try (HeapRecording recording = Sums.ofThisThread(512)) {
            for (int i = 0; i < SMALL_COUNT; i++) {
                held.add(makeSmall());
            }
            for (int i = 0; i < count; i++) {
                held.add(makeLarge(bytes));
                Allocator.sink = makeLarge(bytes);
            }
            HeapSnapshot snapshot = recording.snapshot(SnapshotOptions.afterGc());
            List<HeapSite> sites = Sums.through(snapshot, LargeLiveTest.class, "makeLarge");
            HeapAmount live = Sums.sum(sites, HeapFigures::live);
            double weight = (double) count / live.samples();
            double z = (live.objects().value() - count) / Math.sqrt(count * (weight - 1));
            System.out.printf(
                    "accuracy: live large=%d tracked=%d estimate=%s z=%.2f%n",
                    count, live.samples(), live.objects(), z);
            assertThat(z).isBetween(-4.0, 6.0);
            assertThat(live.samples() * region)
                    .as("bytes that are kept")
                    .isBetween(1L, Runtime.getRuntime().maxMemory() / 16);
            assertThat(snapshot.dropped().get(DropCause.THINNED)).isGreaterThan(count / 2);
            assertThat(snapshot.notes()).anyMatch(note -> note.id().equals("thinned-large"));

            HeapAmount small = Sums.live(snapshot, LargeLiveTest.class, "makeSmall");
            double chance = 1 - Math.exp(-SMALL / 512.0);
            assertThat(small.objects().value() / small.samples())
                    .as("what a small one stands for; twice as much if it were thinned")
                    .isLessThan(1.5 / chance);
            Reference.reachabilityFence(held);
        }
    }
}
