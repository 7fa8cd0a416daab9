// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A message of Protocol Buffers, as a reader of the wire format sees it: the values of each field,
 * numbers as Long and all else as ByteBuffer.
 */
record Message(Map<Integer, List<Object>> fields) {

    static Message of(ByteBuffer bytes) {
        Map<Integer, List<Object>> fields = new HashMap<>();
        ByteBuffer rest = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        while (rest.hasRemaining()) {
            long tag = varint(rest);
            Object value =
                    switch ((int) tag & 7) {
                        case 0 -> varint(rest);
                        case 1 -> rest.getLong();
                        case 2 -> {
                            int length = (int) varint(rest);
                            ByteBuffer inner = rest.slice(rest.position(), length);
                            rest.position(rest.position() + length);
                            yield inner;
                        }
                        default -> throw new AssertionError("wire type of tag " + tag);
                    };
            fields.computeIfAbsent((int) tag >>> 3, field -> new ArrayList<>()).add(value);
        }
        return new Message(fields);
    }

    static long varint(ByteBuffer from) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte b = from.get();
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
    }

    List<Message> all(int field) {
        return fields.getOrDefault(field, List.of()).stream()
                .map(value -> of((ByteBuffer) value))
                .toList();
    }

    Message one(int field) {
        assertThat(all(field)).hasSize(1);
        return all(field).get(0);
    }

    long number(int field) {
        List<Object> values = fields.getOrDefault(field, List.of(0L));
        assertThat(values).hasSize(1);
        return (long) values.get(0);
    }

    List<Long> packed(int field) {
        List<Long> numbers = new ArrayList<>();
        ByteBuffer bytes = ((ByteBuffer) fields.get(field).get(0)).duplicate();
        while (bytes.hasRemaining()) {
            numbers.add(varint(bytes));
        }
        return numbers;
    }

    List<String> strings(int field) {
        return fields.get(field).stream()
                .map(value -> ((ByteBuffer) value).duplicate())
                .map(bytes -> StandardCharsets.UTF_8.decode(bytes).toString())
                .toList();
    }
}
