// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * 3,000 sites over 21 snapshots. Each object is sampled with its true chance, with a fixed seed.
 * Steady sites have 64 live objects at each moment and replace all of them between two snapshots.
 * One site leaks 20 KB between two snapshots, and one table lives through all of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ManySitesTest {

    private static final int STEADY = 3_000;
    private static final int SNAPSHOTS = 21;
    private static final int INTERVAL = 512;
    private static final int LIVE = 1;
    private static final String LEAK = "a.Leak";
    private static final String TABLE = "a.Table";

    /** A sampled object: its site, its size, when it was born. */
    private record Sampled(String site, int size, long born) {}

    private final Random random = new Random(24);
    private final ArrayDeque<Sampled> kept = new ArrayDeque<>();
    private final List<HeapSnapshot> steady = new ArrayList<>();
    private final List<HeapSnapshot> leaking = new ArrayList<>();

    ManySitesTest() {
        allocate(kept, TABLE, 20_000, 64, 1);
        for (int k = 1; k <= SNAPSHOTS; k++) {
            List<Sampled> now = new ArrayList<>();
            for (int i = 0; i < STEADY; i++) {
                allocate(now, "a.Steady" + i, 64, 16 << i % 4, 1_000_000L * k + i);
            }
            steady.add(snapshot(k, now));
            allocate(kept, LEAK, 320, 64, 1_000_000L * k);
            now.addAll(kept);
            leaking.add(snapshot(k, now));
        }
    }

    private void allocate(Collection<Sampled> into, String site, int objects, int size, long born) {
        double chance = -Math.expm1(-(double) size / INTERVAL);
        for (int i = 0; i < objects; i++) {
            if (random.nextDouble() < chance) {
                into.add(new Sampled(site, size, born));
            }
        }
    }

    private static HeapSnapshot snapshot(int k, List<Sampled> objects) {
        BlockWriter writer = new BlockWriter().info(Info.TAKEN_AT, 1_000_000L * (k + 1));
        int thread = writer.thread(1, "main");
        String last = "";
        int site = -1;
        for (Sampled each : objects) {
            if (!each.site.equals(last)) {
                last = each.site;
                int stack = writer.stack(false, writer.frame(last + "Maker", "make", 5));
                site = writer.site(stack, last, 1, 1, 1000);
            }
            writer.living(site, thread, each.size, each.born + k % 3, INTERVAL, 0, LIVE, 1);
        }
        return HeapSnapshot.decode(writer.write());
    }

    private static List<HeapDiff> diffs(List<HeapSnapshot> snapshots) {
        List<HeapDiff> diffs = new ArrayList<>();
        for (int k = 1; k < snapshots.size(); k++) {
            diffs.add(snapshots.get(k).diff(snapshots.get(k - 1)));
        }
        return diffs;
    }

    // Each of 20 lists may be wrong with a chance of 5 %: 5 or more are, by chance, in 3 of 1,000
    // seeds.
    @Test
    void steadySitesAreNotGrowing() {
        List<HeapDiff> diffs = diffs(steady);

        assertThat(diffs).hasSize(20).allMatch(diff -> diff.deltas().size() > STEADY / 2);
        assertThat(diffs.stream().filter(diff -> !diff.growing().isEmpty()).count()).isLessThan(5);
    }

    // 38 samples more each time on average, of which 17 are enough: fewer come in 3 of 100,000
    // diffs.
    @Test
    void constantLeakIsFoundHoweverLargeItHasBecome() {
        for (HeapDiff diff : diffs(leaking)) {
            assertThat(diff.growing()).extracting(SiteDelta::className).startsWith(LEAK);
            SiteDelta leak = diff.growing().get(0);
            assertThat(leak.live().bytes().low()).isPositive().isLessThan(20_480);
            assertThat(leak.live().bytes().high()).isGreaterThan(20_480 * 0.9);
        }
    }

    @Test
    void objectsThatBothSnapshotsHoldAddNoError() {
        for (HeapDiff diff : diffs(leaking)) {
            SiteDelta table =
                    diff.deltas().stream()
                            .filter(delta -> delta.className().equals(TABLE))
                            .findFirst()
                            .orElseThrow();
            assertThat(table.live().bytes().value()).isZero();
            assertThat(table.live().bytes().standardError()).isZero();
            assertThat(table.laterLive().bytes().standardError()).isPositive();
        }
    }

    // The slopes of five snapshots at a time: four lists, each wrong with a chance of 5 %. Two or
    // more are in 14 of 1,000 seeds.
    @Test
    void steadySitesHaveNoSlope() {
        int wrong = 0;
        for (int k = 0; k < 20; k += 5) {
            HeapGrowth growth = HeapGrowth.of(steady.subList(k, k + 5));
            wrong += growth.growing().isEmpty() ? 0 : 1;
            assertThat(HeapGrowth.of(leaking.subList(k, k + 5)).growing())
                    .extracting(SiteGrowth::className)
                    .startsWith(LEAK);
        }

        assertThat(wrong).isLessThan(2);
    }
}
