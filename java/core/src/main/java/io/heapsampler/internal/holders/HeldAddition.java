// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import io.heapsampler.internal.ModifiedUtf8;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the facade adds to the block of the library, at its end. Immutable.
 *
 * @param matching how many live samples matched, of which the targets were chosen at random
 * @param question what was chosen, in words
 * @param threads names of threads that are roots, by id
 */
public record HeldAddition(long matching, String question, Map<Long, String> threads) {

    static final HeldAddition NONE = new HeldAddition(0, "", Map.of());

    public HeldAddition {
        threads = Map.copyOf(threads);
    }

    /** Returns the block with this at its end. */
    public byte[] after(byte[] block) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(block);
        bytes.writeBytes(number(Long.BYTES, matching));
        writeText(bytes, question);
        bytes.writeBytes(number(Integer.BYTES, threads.size()));
        new TreeMap<>(threads)
                .forEach(
                        (id, name) -> {
                            bytes.writeBytes(number(Long.BYTES, id));
                            writeText(bytes, name);
                        });
        return bytes.toByteArray();
    }

    /** Returns the block for no targets, as the library would write it. */
    @SuppressWarnings("ByteBufferBackingArray") // it is allocated here
    public static byte[] nothing() {
        int bytes = HeldDecoder.HEADER_BYTES + 5 * Integer.BYTES;
        ByteBuffer block = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        block.putInt(HeldDecoder.MAGIC).putShort((short) HeldDecoder.VERSION);
        // No reason, no failure; one name, the empty one; no targets.
        block.putInt(HeldDecoder.HEADER_BYTES + 2 * Integer.BYTES, 1);
        return block.array();
    }

    private static void writeText(ByteArrayOutputStream to, String text) {
        byte[] bytes = ModifiedUtf8.encode(text);
        to.writeBytes(number(Integer.BYTES, bytes.length));
        to.writeBytes(bytes);
    }

    @SuppressWarnings("ByteBufferBackingArray") // it is allocated here
    private static byte[] number(int size, long value) {
        ByteBuffer buffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        return (size == Long.BYTES ? buffer.putLong(value) : buffer.putInt((int) value)).array();
    }
}
