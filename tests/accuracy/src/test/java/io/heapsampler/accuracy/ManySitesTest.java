// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.accuracy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteDelta;
import io.heapsampler.SnapshotOptions;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Steady sites and one leak of 20 KB a round, of which 37 samples are taken on average at 512
 * bytes. Each list of growing sites may hold a steady one with a chance of 5 %: 5 or more of 20 do
 * in 3 of 1,000 runs, 3 or more of 6 in 2 of 1,000. The leak is listed with 17 samples or more:
 * fewer are taken in 3 of 100,000 lists.
 */
class ManySitesTest {

    private static final int SITES = Tier.of(500, 3_000);
    private static final int DIFFS = Tier.of(6, 20);
    private static final int WRONG = Tier.of(3, 5);

    static boolean isThrough(SiteDelta delta, String method) {
        return delta.stack().stream()
                .anyMatch(
                        frame ->
                                frame.className().equals(ManySites.class.getName())
                                        && frame.methodName().equals(method));
    }

    @Test
    void steadySitesAreNotListedAndALeakIs() {
        assumeFalse(
                HeapSampler.status().collector() == GarbageCollector.EPSILON,
                "Epsilon never collects");
        assumeFalse(
                HeapSampler.status().collector() == GarbageCollector.Z_GENERATIONAL,
                "few objects are tracked there, too few of so small a leak");
        ManySites program = new ManySites(SITES);
        List<HeapDiff> diffs = new ArrayList<>();
        try (HeapRecording recording = Sums.ofThisThread(512)) {
            List<HeapSnapshot> snapshots = new ArrayList<>();
            // One line calls the program, or each site would be two.
            while (snapshots.size() <= DIFFS) {
                program.round();
                snapshots.add(recording.snapshot(SnapshotOptions.afterGc()));
            }
            for (int i = 1; i <= DIFFS; i++) {
                diffs.add(snapshots.get(i).diff(snapshots.get(i - 1)).byLine());
            }
        }

        int wrong = 0;
        for (HeapDiff diff : diffs) {
            List<SiteDelta> growing = diff.growing();
            assertThat(diff.deltas()).hasSizeGreaterThanOrEqualTo(SITES);
            assertThat(growing).anyMatch(delta -> isThrough(delta, "leak"));
            wrong += growing.stream().anyMatch(delta -> isThrough(delta, "call")) ? 1 : 0;
        }
        assertThat(wrong).isLessThan(WRONG);
        Reference.reachabilityFence(program);
    }
}
