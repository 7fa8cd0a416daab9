// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Adds a section to a snapshot block. */
public final class BlockSections {

    private BlockSections() {}

    /**
     * Returns the block with this section, in place of one of the same tag. All other sections stay
     * as they are, also those that this version does not know.
     *
     * @param block a block that was decoded
     */
    @SuppressWarnings("ByteBufferBackingArray") // it is allocated here
    public static byte[] with(byte[] block, int tag, int count, byte[] payload) {
        ByteBuffer in = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        int from = Short.toUnsignedInt(in.getShort(6));
        int sections = in.getInt(8);
        int at = from;
        int before = 0;
        while (before < sections && in.getInt(at) < tag) {
            at = next(in, at);
            before++;
        }
        boolean replaces = before < sections && in.getInt(at) == tag;
        int rest = replaces ? next(in, at) : at;
        int start = (at + 7) & ~7; // the last section of a block may lack its padding
        int padded = (payload.length + 7) & ~7;
        int total =
                Math.addExact(
                        start + SnapshotDecoder.SECTION_HEADER_BYTES,
                        padded + (block.length - rest));
        ByteBuffer out = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
        out.put(block, 0, at).position(start);
        out.putInt(tag).putInt(count).putLong(payload.length).put(payload);
        out.position(start + SnapshotDecoder.SECTION_HEADER_BYTES + padded);
        out.put(block, rest, block.length - rest);
        out.putInt(8, replaces ? sections : sections + 1).putLong(16, total);
        return out.array();
    }

    private static int next(ByteBuffer in, int at) {
        long end = at + SnapshotDecoder.SECTION_HEADER_BYTES + in.getLong(at + 8);
        return (int) Math.min(in.limit(), (end + 7) & ~7L);
    }
}
