// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Shot;
import org.junit.jupiter.api.Test;

/** Snapshots that compress well are small while they are kept, and large while they are used. */
class PackedSnapshotsTest {

    /** All alike: some 60 bytes a sample, and nearly none of them once it is compressed. */
    private static final int SAMPLES = 30_000;

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
}
