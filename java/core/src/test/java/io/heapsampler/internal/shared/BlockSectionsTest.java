// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class BlockSectionsTest {

    @Test
    void sectionsFollowTheHeaderInTheOrderOfTheirTagsAndArePadded() {
        byte[] block =
                new BlockSections()
                        .add(3, 7, new byte[] {1, 2, 3})
                        .add(1, 1, new long[] {5})
                        .block();
        ByteBuffer expected = BlockSections.buffer(32 + 16 + 8 + 16 + 8);
        expected.put(new byte[] {'H', 'S', 'N', 'P', 1, 0, 32, 0});
        expected.putInt(2).putInt(0).putLong(80).putLong(0);
        expected.putInt(1).putInt(1).putLong(8).putLong(5);
        expected.putInt(3).putInt(7).putLong(3).put(new byte[] {1, 2, 3, 0, 0, 0, 0, 0});

        assertThat(block).isEqualTo(expected.array());
    }
}
