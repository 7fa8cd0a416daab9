// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sections that are added to a block. */
class BlockSectionsTest {

    private static final byte[] THREE = {1, 2, 3};

    private static byte[] block() {
        BlockWriter writer = new BlockWriter();
        writer.site(writer.stack(false, writer.frame("a.A", "make", 12)), "byte[]", 3, 3, 300);
        return writer.section(4242, 9, new byte[] {9, 8, 7, 6, 5}).write();
    }

    /** The tags of the sections with the bytes of their payloads. */
    private static List<String> sections(byte[] block) {
        ByteBuffer in = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(in.getLong(16)).isEqualTo(block.length);
        List<String> found = new ArrayList<>();
        int at = 32;
        for (int i = 0; i < in.getInt(8); i++) {
            int length = (int) in.getLong(at + 8);
            byte[] payload = Arrays.copyOfRange(block, at + 16, at + 16 + length);
            found.add(in.getInt(at) + " " + in.getInt(at + 4) + " " + Arrays.toString(payload));
            at += 16 + (length + 7) / 8 * 8;
        }
        assertThat(at).isEqualTo(block.length);
        return found;
    }

    @Test
    void aSectionComesAtItsPlaceAndOthersStay() {
        List<String> before = sections(block());

        List<String> after = sections(BlockSections.with(block(), 1400, 1, THREE));

        List<String> expected = new ArrayList<>(before);
        expected.add(before.size() - 1, "1400 1 [1, 2, 3]");
        assertThat(after).isEqualTo(expected);
        assertThat(SnapshotDecoder.decode(BlockSections.with(block(), 1400, 1, THREE)).siteCount())
                .isEqualTo(1);
    }

    @Test
    void aSectionReplacesTheOneBefore() {
        byte[] with = BlockSections.with(block(), 1400, 1, new byte[30]);

        assertThat(BlockSections.with(with, 1400, 1, THREE))
                .isEqualTo(BlockSections.with(block(), 1400, 1, THREE));
    }

    @Test
    void aSectionCanBeTheLastOne() {
        byte[] with = BlockSections.with(block(), 5000, 7, THREE);

        assertThat(sections(with))
                .endsWith("5000 7 [1, 2, 3]")
                .hasSize(sections(block()).size() + 1);
    }

    /** The padding of the last section may be missing. */
    @Test
    void aBlockThatEndsOddlyGetsItsPadding() {
        byte[] block = block();
        byte[] cut = Arrays.copyOf(block, block.length - 3);
        ByteBuffer.wrap(cut).order(ByteOrder.LITTLE_ENDIAN).putLong(16, cut.length);

        assertThat(BlockSections.with(cut, 5000, 7, THREE))
                .isEqualTo(BlockSections.with(block, 5000, 7, THREE));
    }
}
