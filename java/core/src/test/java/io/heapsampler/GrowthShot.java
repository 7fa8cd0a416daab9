// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.util.ArrayList;
import java.util.List;

/** A snapshot under construction, taken at a time in seconds, for tests of {@link HeapGrowth}. */
final class GrowthShot {

    static final long SECOND = 1_000_000;
    static final int LIVE = 1;
    static final int UNCONFIRMED = 0;

    final BlockWriter writer = new BlockWriter();
    final int thread = writer.thread(1, "main");

    GrowthShot(long seconds) {
        writer.info(Info.TAKEN_AT, seconds * SECOND);
    }

    int site(String className) {
        int stack = writer.stack(false, writer.frame(className + "Maker", "make", 5));
        return writer.site(stack, className, 1, 1, 1000);
    }

    /** Adds objects of 1,000 bytes, each of which stands for 2<sup>thinning</sup>. */
    GrowthShot add(
            int site, int count, long bornSeconds, int thinning, int liveness, int survived) {
        for (int i = 0; i < count; i++) {
            writer.living(
                    site, thread, 1000, bornSeconds * SECOND, 0, thinning, liveness, survived);
        }
        return this;
    }

    HeapSnapshot take() {
        return HeapSnapshot.decode(writer.write());
    }

    /** Returns the growth of the only site of a class. */
    static SiteGrowth growthOf(List<HeapSnapshot> snapshots, String className) {
        return HeapGrowth.of(snapshots).sites().stream()
                .filter(site -> site.className().equals(className))
                .findFirst()
                .orElseThrow();
    }

    /**
     * A leak, a table that was filled at the beginning, one that was filled between the first two
     * snapshots, and a cache of always the same size that exchanges its entries; each sample stands
     * for 4.
     */
    static List<HeapSnapshot> leakAndCaches() {
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            GrowthShot shot = new GrowthShot(10 * i + 10);
            int leak = shot.site("a.Leak");
            int cache = shot.site("a.Cache");
            int table = shot.site("a.Table");
            for (int born = 0; born <= i; born++) {
                shot.add(leak, 20, 10 * born + 5, 2, LIVE, i - born);
            }
            shot.add(cache, i % 2 == 0 ? 400 : 410, 10 * i + 5, 2, LIVE, 0);
            shot.add(table, 500, 2, 2, LIVE, i);
            if (i > 0) {
                shot.add(shot.site("a.Filled"), 500, 15, 2, LIVE, i);
            }
            snapshots.add(shot.take());
        }
        return snapshots;
    }
}
