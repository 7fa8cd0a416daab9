// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * One message in the wire format of Protocol Buffers, as far as pprof and OTLP need it: integers,
 * strings and messages within it.
 *
 * <p>This is written by hand on purpose. Generated code would need protobuf-java, of which
 * applications bring a version of their own, and the two rarely get along. The format has not
 * changed since 2008, and all of it that is used here is below.
 */
final class ProtoBuffer {

    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int LONGEST_VARINT = 10;

    private byte[] bytes = new byte[256];
    private int size;

    /** Forgets what was written, to be used for the next message. */
    ProtoBuffer clear() {
        size = 0;
        return this;
    }

    private void reserve(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, Math.addExact(size, more)));
        }
    }

    private void varint(long value) {
        reserve(LONGEST_VARINT);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    private void tag(int field, int wireType) {
        varint((long) field << 3 | wireType);
    }

    /** An integer or a boolean; 0 is what a reader assumes anyway and is left out. */
    ProtoBuffer integer(int field, long value) {
        if (value != 0) {
            tag(field, VARINT);
            varint(value);
        }
        return this;
    }

    /** An integer of eight bytes, the lowest first. */
    ProtoBuffer fixed64(int field, long value) {
        tag(field, FIXED64);
        reserve(Long.BYTES);
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            bytes[size++] = (byte) (value >>> shift);
        }
        return this;
    }

    /** A repeated integer in which 0 stands for itself. */
    ProtoBuffer repeated(int field, long value) {
        tag(field, VARINT);
        varint(value);
        return this;
    }

    /** A packed array of integers. */
    ProtoBuffer packed(int field, ProtoBuffer integers) {
        return message(field, integers);
    }

    /** One integer of a packed array, which this buffer is. */
    void element(long value) {
        varint(value);
    }

    /** A message within this one. */
    ProtoBuffer message(int field, ProtoBuffer inner) {
        return bytes(field, inner.bytes, inner.size);
    }

    /** The fields of another buffer, as they are. */
    ProtoBuffer append(ProtoBuffer other) {
        reserve(other.size);
        System.arraycopy(other.bytes, 0, bytes, size, other.size);
        size += other.size;
        return this;
    }

    /** A string in UTF-8. */
    ProtoBuffer string(int field, byte[] text) {
        return bytes(field, text, text.length);
    }

    /** How many bytes were written. */
    int size() {
        return size;
    }

    private ProtoBuffer bytes(int field, byte[] source, int length) {
        tag(field, BYTES);
        varint(length);
        reserve(length);
        System.arraycopy(source, 0, bytes, size, length);
        size += length;
        return this;
    }

    /** What was written by now. */
    byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

    /** Writes one message within another, of which these are the parts, and forgets them. */
    static void drainMessage(int field, OutputStream out, ProtoBuffer... parts) throws IOException {
        int length = 0;
        for (ProtoBuffer part : parts) {
            length = Math.addExact(length, part.size);
        }
        ProtoBuffer head = new ProtoBuffer();
        head.tag(field, BYTES);
        head.varint(length);
        head.drainTo(out);
        for (ProtoBuffer part : parts) {
            part.drainTo(out);
        }
    }

    /** Writes what is here and forgets it. */
    void drainTo(OutputStream out) throws IOException {
        out.write(bytes, 0, size);
        size = 0;
    }
}
