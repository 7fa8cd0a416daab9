// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Blocks;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which sites grow, over snapshots and by the objects of a closer look. */
class GrowthTest {

    /** All alike: some 60 bytes a sample, and nearly none of them once it is compressed. */
    private static final int SAMPLES = 60_000;

    private final Growth growth = new Growth();

    @Test
    void whatIsUnpackedAtATimeIsBounded() {
        for (int i = 1; i <= 8; i++) {
            Shot shot = new Shot(1_000_000, 1_000_000 + 60_000L * i);
            shot.live(shot.site("a.Leak", "leak", 1e6), SAMPLES, 1_000, 1_000_500, 1);
            growth.add(shot.take());
        }

        assertThat(growth.snapshots.size()).isBetween(3, 7);
        assertThat(deflated()).isLessThan(Growth.MOST_BYTES / 4);
        assertThat(growth.notes()).isEmpty();
        assertThat(growth.growing()).isEmpty();
    }

    private long deflated() {
        return growth.snapshots.stream().mapToLong(each -> each.bytes.length).sum();
    }

    private static HeapSnapshot kept(long takenMillis, int classes, int each) {
        Shot shot = new Shot(1_000_000, takenMillis);
        for (int i = 0; i < classes; i++) {
            int site = shot.site("a.C" + i, "put", 1e6);
            shot.live(site, each, 1_000, 1_000_000 + 1_000 * (i % 5), 1);
        }
        return shot.take();
    }

    /** A hundred sites of three samples: each too few, together 30 kB/s at one line. */
    @Test
    void theObjectsOfACloserLookAreAddedUpByLine() {
        assertThat(growth.addBorn(kept(1_060_000, 100, 3), 10_000)).isEqualTo(300);

        assertThat(growth.growing()).hasSize(1);
        SiteEvidence line = growth.growing().get(0);
        assertThat(line.stack().get(0).methodName()).isEqualTo("put");
        assertThat(line.estimate().value()).isEqualTo(30_000);
        assertThat(line.estimate().samples()).isEqualTo(300);
    }

    @Test
    void aLineThatGrowsOverSnapshotsIsNotNamedTwice() {
        for (int i = 1; i <= 4; i++) {
            growth.add(kept(1_000_000 + 60_000 * i, 1, 1_000 * i));
        }
        growth.addBorn(kept(1_240_000, 100, 3), 10_000);
        assertThat(growth.growing()).hasSize(1);
        assertThat(growth.growing().get(0).estimate().value()).isGreaterThan(15_000);
    }

    @Test
    void aCloserLookOfAQuarterOfAnHourAgoIsOver() {
        growth.addBorn(kept(1_060_000, 100, 3), 10_000);
        growth.add(kept(1_959_999, 100, 3));
        assertThat(growth.growing()).hasSize(1);
        growth.add(kept(1_960_000, 100, 3));
        assertThat(growth.growing()).isEmpty();
    }

    private static HeapSnapshot sampled(int count) {
        BlockWriter writer = new BlockWriter();
        writer.info(Info.STARTED_AT, 1_000_000_000).info(Info.TAKEN_AT, at(1));
        int stack = writer.stack(false, writer.frame("shop.Cart", "put", 12));
        int site = writer.site(stack, "a.C", 100, 100, 1e6);
        int thread = writer.thread(1, "main");
        for (int i = 0; i < count; i++) {
            writer.living(site, thread, 16, at(1) - 1_000L * i, 8_192, 0, 1, 1);
        }
        return Blocks.decode(writer.write());
    }

    @Test
    void aLineOfNineSamplesIsNotNamed() {
        growth.addBorn(sampled(9), 10_000);
        assertThat(growth.growing()).isEmpty();
        growth.addBorn(sampled(10), 10_000);
        assertThat(growth.growing()).hasSize(1);
        assertThat(growth.growing().get(0).estimate().value()).isBetween(8_000.0, 8_400.0);
    }

    @Test
    void aResetForgetsTheCloserLook() {
        growth.addBorn(kept(1_060_000, 100, 3), 10_000);
        growth.clear();
        assertThat(growth.growing()).isEmpty();
    }

    /** A full table as the default has it, 4,096 dead, and 5,000 stacks of 16 of 3,000 frames. */
    private static HeapSnapshot fullTable(int number) {
        Random random = new Random(24);
        BlockWriter writer = new BlockWriter();
        writer.info(Info.STARTED_AT, 1_000_000_000).info(Info.TAKEN_AT, at(number));
        int[] threads = new int[50];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = writer.thread(i + 1, "worker-" + i);
        }
        int[] frames = new int[3_000];
        for (int i = 0; i < frames.length; i++) {
            String name = "com.example.shop.part" + i % 40 + ".Type" + i % 700;
            frames[i] = writer.frame(name, "method" + i, 7 * i % 900);
        }
        int[] sites = new int[5_000];
        for (int i = 0; i < sites.length; i++) {
            int[] stack = random.ints(16, 0, frames.length).map(j -> frames[j]).toArray();
            int name = random.nextInt(400);
            sites[i] = writer.site(writer.stack(false, stack), "a.Type" + name, 9, 9e5, 4e7);
        }
        for (int i = 0; i < 65_536; i++) {
            int site = (int) (sites.length * Math.pow(random.nextDouble(), 3));
            int thread = threads[random.nextInt(threads.length)];
            long born = at(number) - random.nextInt(1_000_000_000);
            writer.living(sites[site], thread, 16 + site % 60 * 8, born, 524_288, 0, 1, i % 3);
        }
        for (int i = 0; i < 4_096; i++) {
            int site = (int) (sites.length * Math.pow(random.nextDouble(), 3));
            writer.dead(sites[site], threads[0], 16, at(0), 1, at(0) + i, at(0) + 2L * i);
        }
        return Blocks.decode(writer.write());
    }

    private static long at(int number) {
        return 1_000_000_000 + 60_000_000L * number;
    }

    @Test
    void fullTablesOfTheDefaultHaveRoom() {
        for (int i = 1; i <= 4; i++) {
            growth.add(fullTable(i));
        }

        assertThat(growth.notes()).isEmpty();
        assertThat(growth.snapshots.size()).isGreaterThanOrEqualTo(3);
        assertThat(deflated()).isLessThan(4L << 20);
        assertThat(growth.growing()).isEmpty();
    }
}
