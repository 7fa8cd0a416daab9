// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The fields of a protobuf message of another program, one after the other. Each length is checked;
 * at the first damage the message ends.
 */
final class ProtoFields {

    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;

    private final ByteBuffer rest;
    private boolean isDamaged;
    private int number;
    private int type;
    private long integer;
    private ByteBuffer content;

    ProtoFields(ByteBuffer message) {
        this.rest = message.slice().order(ByteOrder.LITTLE_ENDIAN);
        this.content = rest;
    }

    /** Goes on to the next field; returns false at the end, and where the message is damaged. */
    boolean next() {
        if (isDamaged || !rest.hasRemaining()) {
            return false;
        }
        long tag = varint();
        number = (int) (tag >>> 3);
        type = (int) (tag & 7);
        isDamaged |= number <= 0;
        switch (type) {
            case VARINT -> integer = varint();
            case FIXED64 -> integer = has(Long.BYTES) ? rest.getLong() : 0;
            case FIXED32 -> integer = has(Integer.BYTES) ? rest.getInt() : 0;
            case BYTES -> content = bytes(varint());
            // Groups went out of use long ago.
            default -> isDamaged = true;
        }
        return !isDamaged;
    }

    private boolean has(long bytes) {
        isDamaged |= bytes < 0 || bytes > rest.remaining();
        return !isDamaged;
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; rest.hasRemaining() && shift < Long.SIZE; shift += 7) {
            byte b = rest.get();
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
        isDamaged = true;
        return 0;
    }

    private ByteBuffer bytes(long length) {
        if (!has(length)) {
            return rest;
        }
        ByteBuffer part = rest.slice(rest.position(), (int) length);
        rest.position(rest.position() + (int) length);
        return part;
    }

    /** Returns whether the message is damaged. */
    boolean isDamaged() {
        return isDamaged;
    }

    /** Returns whether this field has the number and is an integer or a boolean. */
    boolean isInteger(int field) {
        return number == field && type == VARINT;
    }

    /** Returns whether this field has the number and is a floating-point number. */
    boolean isDouble(int field) {
        return number == field && type == FIXED64;
    }

    /** Returns whether this field has the number and is a text, bytes or a message. */
    boolean isBytes(int field) {
        return number == field && type == BYTES;
    }

    long integer() {
        return integer;
    }

    ByteBuffer content() {
        return content;
    }
}
