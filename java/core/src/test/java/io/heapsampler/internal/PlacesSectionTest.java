// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The places of live objects in the table, as blocks have them. */
class PlacesSectionTest {

    private static final int TAG = 13;

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

    private static int[] places(BlockWriter writer) {
        SampleColumns samples = SnapshotDecoder.decode(writer.write()).samples;
        return IntStream.range(0, samples.count).map(samples::place).toArray();
    }

    @Test
    void eachLiveSampleHasItsPlaceAndTheDeadHaveNone() {
        byte[] payload = {1, 0, 0, 0, -1, -1, -1, -1, 0, 1, 0, 0};
        assertThat(places(living(3).section(TAG, 3, payload)))
                .containsExactly(1, SampleColumns.NO_PLACE, 256, SampleColumns.NO_PLACE);
    }

    @Test
    void withoutTheSectionNothingIsKnown() {
        assertThat(places(living(1)))
                .containsExactly(SampleColumns.NO_PLACE, SampleColumns.NO_PLACE);
        assertThat(places(living(1).section(TAG, 0, new byte[0])))
                .containsExactly(SampleColumns.NO_PLACE, SampleColumns.NO_PLACE);
    }

    @Test
    void anotherNumberOfEntriesIsDamage() {
        assertThatThrownBy(() -> places(living(2).section(TAG, 3, new byte[12])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "The snapshot block is damaged: section PLACES has 3 entries for 2 live"
                                + " samples.");
    }
}
