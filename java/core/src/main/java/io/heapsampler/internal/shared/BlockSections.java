// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * Joins sections to a snapshot block, as {@code native/doc/snapshot-format.md} describes it: the
 * header, then each section with its own header and padded to 8 bytes, in the order of the tags.
 * For one thread.
 */
public final class BlockSections {

    /** The format version that this library reads and writes. */
    public static final int VERSION = 1;

    private static final byte[] MAGIC = "HSNP".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER_BYTES = 32;
    private static final int SECTION_HEADER_BYTES = 16;

    private static final class Section {

        final int count;
        final byte[] payload;

        Section(int count, byte[] payload) {
            this.count = count;
            this.payload = payload;
        }

        int paddedBytes() {
            return (payload.length + 7) / 8 * 8;
        }
    }

    private final Map<Integer, Section> sections = new TreeMap<>();

    /** Adds a section, or replaces the one with this tag. */
    public BlockSections add(int tag, int count, byte[] payload) {
        sections.put(tag, new Section(count, payload));
        return this;
    }

    /** Adds a section of numbers. */
    public BlockSections add(int tag, int count, long[] payload) {
        ByteBuffer bytes = buffer(payload.length * Long.BYTES);
        bytes.asLongBuffer().put(payload);
        return add(tag, count, bytes(bytes));
    }

    /** Returns an empty buffer in the byte order of the format. */
    public static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns all bytes of such a buffer, set or not. */
    @SuppressWarnings("ByteBufferBackingArray") // buffer() allocates it.
    public static byte[] bytes(ByteBuffer buffer) {
        return buffer.array();
    }

    /** Returns the block. */
    public byte[] block() {
        return block(VERSION);
    }

    /** Returns a block that claims another format version; for tests. */
    public byte[] block(int version) {
        int total = HEADER_BYTES;
        for (Section each : sections.values()) {
            total += SECTION_HEADER_BYTES + each.paddedBytes();
        }
        ByteBuffer block = buffer(total).put(MAGIC).putShort((short) version);
        block.putShort((short) HEADER_BYTES).putInt(sections.size()).putInt(0);
        block.putLong(total).putLong(0);
        sections.forEach(
                (tag, each) -> {
                    block.putInt(tag).putInt(each.count).putLong(each.payload.length);
                    block.put(each.payload);
                    block.position(block.position() + each.paddedBytes() - each.payload.length);
                });
        return bytes(block);
    }
}
