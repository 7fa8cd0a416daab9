// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.util.List;
import java.util.stream.IntStream;

/** Of one method, one line grows and one does not; that of another method does not. */
final class GrowingHeap {

    private static final int SHOTS = 5;
    private static final int STEP = 60;
    private static final int OTHER_LINE = 20;

    private static byte[] block(int number) {
        BlockWriter writer = new BlockWriter();
        writer.info(Info.BUDGET, 100)
                .info(Info.TAKEN_AT, 1_000_000L * (1 + number))
                .info(Info.SAMPLED_MICROS, 1_000_000L * number);
        writer.thread(7, "main");
        for (int line : new int[] {12, 13, 99}) {
            String method = line == 99 ? "cache" : "leak";
            int frame = writer.frame("com.acme.Shop", method, line);
            writer.site(writer.stack(false, frame), "byte[]", 1, 1, 1000);
        }
        for (int i = 0; i < 100; i++) {
            writer.living(2, 0, 1_000, 10 + i, 1 << 20, 0, 1, 2);
        }
        for (int i = 0; i < OTHER_LINE; i++) {
            writer.living(1, 0, 1_000, 500 + i, 1 << 20, 0, 1, 2);
        }
        for (int i = 0; i < number * STEP; i++) {
            writer.living(0, 0, 1_000, 1_000 + i, 1 << 20, 0, 1, 2);
        }
        return writer.write();
    }

    List<HeapSnapshot> snapshots() {
        return IntStream.range(0, SHOTS).mapToObj(i -> HeapSnapshot.decode(block(i))).toList();
    }

    byte[] last() {
        return block(SHOTS - 1);
    }

    int ofGrowingMethod() {
        return (SHOTS - 1) * STEP + OTHER_LINE;
    }

    int ofGrowingLine() {
        return (SHOTS - 1) * STEP;
    }
}
