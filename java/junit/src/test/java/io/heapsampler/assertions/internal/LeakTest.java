// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Blocks;
import io.heapsampler.internal.BlockWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Leaks that hold others come first, and the growth of each. */
class LeakTest {

    private static final StackTraceElement OWN =
            new StackTraceElement("com.acme.Cart", "add", "Cart.java", 7);

    private final LeakLooks looks = new LeakLooks(Scope.TEST, OwnCode.DEFAULT, 10);

    private void looksAfterRuns(int... runs) {
        for (int run : runs) {
            looks.add(Blocks.decode(new BlockWriter().write()), run);
        }
    }

    private Leak leak(String className, String leaf, double[] objects, double size) {
        LiveSeries live = new LiveSeries(objects.length);
        for (int look = 0; look < objects.length; look++) {
            live.add(look, objects[look], objects[look] * size);
        }
        StackTraceElement frame = new StackTraceElement(leaf, "m", "F.java", 1);
        Leak.Site site = new Leak.Site(className, List.of(frame, OWN), OwnCode.DEFAULT, true);
        return new Leak(className, site, live, looks, 0);
    }

    @Test
    void nodesAndArraysOfCollectionsComeFirst() {
        looksAfterRuns(1, 2);
        double[] one = {0, 1};
        List<Leak> leaks = new ArrayList<>();
        leaks.add(leak("byte[]", "java.lang.StringLatin1", one, 4_000));
        leaks.add(leak("com.acme.Item", "com.acme.Item", one, 64));
        leaks.add(leak("java.lang.Object[]", "java.util.ArrayList", one, 16));
        leaks.add(leak("java.util.HashMap$Node", "java.util.HashMap", one, 32));
        leaks.add(leak("java.util.HashMap", "com.acme.Cart", one, 48));

        leaks.sort(Leak.KEEPER_FIRST);

        assertThat(leaks)
                .extracting(Leak::className)
                .containsExactly(
                        "java.util.HashMap$Node",
                        "java.lang.Object[]",
                        "byte[]",
                        "com.acme.Item",
                        "java.util.HashMap");
    }

    @Test
    void evenGrowthIsThatOfARun() {
        looksAfterRuns(4, 5, 6, 16);
        assertThat(leak("byte[]", "a.B", new double[] {3, 4, 5, 15}, 16).curve())
                .isEqualTo("+1 object (16 bytes) in each of 12 runs");
        assertThat(leak("byte[]", "a.B", new double[] {0, 2, 4, 24}, 24).curve())
                .isEqualTo("+2 objects (48 bytes) in each of 12 runs");
    }

    @Test
    void unevenGrowthIsThatOfAllRuns() {
        looksAfterRuns(4, 5, 6);
        assertThat(leak("byte[]", "a.B", new double[] {1, 1, 2}, 1_000).curve())
                .isEqualTo("+1 object (1,000 bytes) in 2 runs, more in 1 of them");
    }

    @Test
    void looksAfterSeveralRunsAreCalledLooks() {
        looksAfterRuns(4, 5, 15);
        assertThat(leak("byte[]", "a.B", new double[] {1, 1, 2}, 1_000).curve())
                .isEqualTo("+1 object (1,000 bytes) in 11 runs, more in 1 of 2 looks");
    }
}
