// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How live objects are reachable, as blocks say it. */
class ReachSectionTest {

    private static final int TAG = 12;

    private static BlockWriter living(int count) {
        BlockWriter writer = new BlockWriter();
        int stack = writer.stack(false, writer.frame("shop.Cart", "add", 10));
        int site = writer.site(stack, "byte[]", 1_000, 1_000, 1e6);
        int thread = writer.thread(1, "main");
        for (int i = 0; i < count; i++) {
            writer.living(site, thread, 24, 5, 0, 0, 1, 0);
        }
        writer.dead(site, thread, 24, 5, 0, 6, 7);
        return writer;
    }

    private static int[] reach(BlockWriter writer) {
        SampleColumns samples = SnapshotDecoder.decode(writer.write()).samples;
        return IntStream.range(0, samples.count).map(samples::reach).toArray();
    }

    @Test
    void eachLiveSampleHasItsByteAndTheDeadHaveNone() {
        assertThat(reach(living(4).section(TAG, 4, new byte[] {1, 2, 0, 4})))
                .containsExactly(1, 2, 0, 4, 0);
    }

    @Test
    void withoutTheSectionNothingIsKnown() {
        assertThat(reach(living(2))).containsExactly(0, 0, 0);
        assertThat(reach(living(2).section(TAG, 0, new byte[0]))).containsExactly(0, 0, 0);
    }

    @Test
    void laterNumbersAreKeptAsTheyAre() {
        assertThat(reach(living(1).section(TAG, 1, new byte[] {-1}))).containsExactly(255, 0);
    }

    @Test
    void anotherNumberOfEntriesIsDamage() {
        assertThatThrownBy(() -> reach(living(2).section(TAG, 3, new byte[3])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "The snapshot block is damaged: section REACH has 3 entries for 2 live"
                                + " samples.");
        assertThatThrownBy(() -> reach(living(2).section(TAG, 2, new byte[3])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "The snapshot block is damaged: section REACH has 2 entries of 1 bytes, but"
                                + " 3 bytes.");
    }
}
