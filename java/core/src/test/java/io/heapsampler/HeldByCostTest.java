// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.heapsampler.internal.holders.HeldAddition;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an answer of the largest size takes: 10,000 paths of 60 steps. */
@Timeout(60)
class HeldByCostTest {

    private static final int PATHS = 10_000;
    private static final int STEPS = 60;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Returns a snapshot; {@code kinds} is how many fields there are at each place. */
    private static HeapSnapshot snapshot(int kinds) {
        HeldShot shot = new HeldShot();
        shot.live(shot.site("byte[]", "fill", 12), PATHS);
        String[] steps = new String[STEPS];
        for (int i = 0; i < PATHS; i++) {
            for (int k = 0; k < STEPS; k++) {
                steps[k] = "com.acme.A" + k + ".f" + i % kinds + " -> com.acme.A" + (k + 1);
            }
            shot.held.path(i, "static com.acme.Shop.s" + i % kinds + " -> com.acme.A0", steps);
        }
        return shot.snapshot(new HeldAddition(0, "", Map.of()));
    }

    private static void assertBounded(int kinds, int holders, long mostBytes) {
        HeapSnapshot snapshot = snapshot(kinds);
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        long start = THREADS.getCurrentThreadCpuTime();

        HeldBy answer = snapshot.heldBy().orElseThrow();
        String text = answer.toText(30);

        long millis = (THREADS.getCurrentThreadCpuTime() - start) / 1_000_000;
        bytes = THREADS.getCurrentThreadAllocatedBytes() - bytes;
        System.out.println(kinds + " kinds: " + millis + " ms, " + bytes / 1_000_000 + " MB");
        assertThat(answer.holders()).hasSize(holders);
        assertThat(text.lines()).hasSizeLessThanOrEqualTo(30);
        assertThat(bytes).isLessThan(mostBytes);
    }

    @Test
    void manyPathsThatReadAlikeAreCheap() {
        assertBounded(20, 20, 300_000_000);
    }

    @Test
    void manyPathsThatAllDifferStayBounded() {
        assertBounded(PATHS, PATHS, 600_000_000);
    }
}
