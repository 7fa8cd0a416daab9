// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The block of a snapshot of nothing, which the native library never makes. */
final class EmptyBlock {

    private EmptyBlock() {}

    /** Returns a block that has an INFO section and nothing else. */
    static byte[] of(long[] info) {
        int payload = info.length * Long.BYTES;
        int total = SnapshotDecoder.HEADER_BYTES + SnapshotDecoder.SECTION_HEADER_BYTES + payload;
        ByteBuffer block = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
        block.putInt(SnapshotDecoder.MAGIC);
        block.putShort((short) SnapshotDecoder.VERSION);
        block.putShort((short) SnapshotDecoder.HEADER_BYTES);
        block.putInt(1).putInt(0).putLong(total).putLong(0);
        block.putInt(SnapshotDecoder.TAG_INFO).putInt(1).putLong(payload);
        for (long entry : info) {
            block.putLong(entry);
        }
        return block.array();
    }
}
