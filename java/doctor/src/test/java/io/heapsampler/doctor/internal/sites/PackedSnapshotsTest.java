// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Blocks;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.doctor.Shot;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Snapshots that compress well are small while they are kept, and large while they are used. */
class PackedSnapshotsTest {

    /** All alike: some 60 bytes a sample, and nearly none of them once it is compressed. */
    private static final int SAMPLES = 60_000;

    private final PackedSnapshots snapshots = new PackedSnapshots();

    private void add(int count) {
        for (int i = 1; i <= count; i++) {
            Shot shot = new Shot(1_000_000, 1_000_000 + 60_000L * i);
            shot.live(shot.site("a.Leak", "leak", 1e6), SAMPLES, 1_000, 1_000_500, 1);
            snapshots.add(shot.take());
        }
    }

    @Test
    void whatIsUnpackedAtATimeIsBounded() {
        add(8);

        assertThat(snapshots.bytes()).isLessThan(PackedSnapshots.MOST_BYTES / 2);
        assertThat(snapshots.unpackedBytes())
                .isBetween(
                        PackedSnapshots.MOST_UNPACKED_BYTES / 2L,
                        (long) PackedSnapshots.MOST_UNPACKED_BYTES);
        assertThat(snapshots.size()).isBetween(3, 7);
        assertThat(snapshots.problem()).isNull();
        assertThat(PackedSnapshots.growing(snapshots.packed())).isEmpty();
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
            snapshots.add(fullTable(i));
        }

        assertThat(snapshots.problem()).isNull();
        assertThat(snapshots.size()).isGreaterThanOrEqualTo(3);
        assertThat(PackedSnapshots.growing(snapshots.packed())).isEmpty();
    }
}
