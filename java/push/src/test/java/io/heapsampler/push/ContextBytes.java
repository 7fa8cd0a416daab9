// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Process contexts as a protobuf library writes them. */
final class ContextBytes {

    private ContextBytes() {}

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static byte[] varint(long value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long rest = value;
        for (; (rest & ~0x7FL) != 0; rest >>>= 7) {
            out.write((int) (rest | 0x80));
        }
        out.write((int) rest);
        return out.toByteArray();
    }

    static byte[] bytes(int field, byte[]... parts) {
        byte[] content = join(parts);
        return join(varint(field << 3 | 2), varint(content.length), content);
    }

    static byte[] text(int field, String text) {
        return bytes(field, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] integer(int field, long value) {
        return join(varint(field << 3), varint(value));
    }

    static byte[] real(int field, double value) {
        byte[] bits = new byte[Double.BYTES];
        ByteBuffer.wrap(bits).order(ByteOrder.LITTLE_ENDIAN).putDouble(value);
        return join(varint(field << 3 | 1), bits);
    }

    /** A pair of a key and a value that is already encoded. */
    static byte[] pair(String key, byte[] value) {
        return bytes(1, text(1, key), bytes(2, value));
    }

    static byte[] context(byte[]... pairs) {
        return bytes(1, pairs);
    }

    /** A context with texts: key, value, key, value. */
    static byte[] texts(String... keysAndValues) {
        byte[][] pairs = new byte[keysAndValues.length / 2][];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = pair(keysAndValues[2 * i], text(1, keysAndValues[2 * i + 1]));
        }
        return context(pairs);
    }
}
