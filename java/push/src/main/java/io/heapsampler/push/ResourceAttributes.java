// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the attributes of the resource in a process context of OpenTelemetry (OTEP 4719). A value
 * is a {@link String}, {@link Boolean}, {@link Long}, {@link Double}, {@code byte[]}, a {@link
 * List} of values, or a {@link Map} of texts to values.
 */
final class ResourceAttributes {

    // Fields of the messages ProcessContext, Resource, KeyValue, AnyValue, ArrayValue,
    // KeyValueList.
    private static final int RESOURCE = 1;
    private static final int ATTRIBUTES = 1;
    private static final int KEY = 1;
    private static final int VALUE = 2;
    private static final int STRING_VALUE = 1;
    private static final int BOOL_VALUE = 2;
    private static final int INT_VALUE = 3;
    private static final int DOUBLE_VALUE = 4;
    private static final int ARRAY_VALUE = 5;
    private static final int LIST_VALUE = 6;
    private static final int BYTES_VALUE = 7;
    private static final int ENTRIES = 1;

    /** Values in values; no attribute of a resource has more than two levels. */
    private static final int DEEPEST = 8;

    private ResourceAttributes() {}

    /** The message is none, or none that can be read. */
    private static final class DamagedException extends Exception {
        private static final long serialVersionUID = 1;
    }

    /**
     * Returns the attributes in their order, in a map that can be changed; null if the payload is
     * damaged, because then all of it may be wrong. An attribute without key or value, or with a
     * value of an unknown type, is left out.
     */
    static @Nullable Map<String, Object> of(byte[] payload) {
        Map<String, Object> attributes = new LinkedHashMap<>();
        try {
            ProtoFields context = new ProtoFields(ByteBuffer.wrap(payload));
            while (context.next()) {
                if (context.isBytes(RESOURCE)) {
                    addAll(context.content(), ATTRIBUTES, attributes, 0);
                }
            }
            requireWhole(context);
            return attributes;
        } catch (DamagedException e) {
            return null;
        }
    }

    private static void requireWhole(ProtoFields message) throws DamagedException {
        if (message.isDamaged()) {
            throw new DamagedException();
        }
    }

    private static void addAll(
            ByteBuffer message, int field, Map<String, Object> attributes, int depth)
            throws DamagedException {
        ProtoFields pairs = new ProtoFields(message);
        while (pairs.next()) {
            if (pairs.isBytes(field)) {
                add(pairs.content(), attributes, depth);
            }
        }
        requireWhole(pairs);
    }

    private static void add(ByteBuffer message, Map<String, Object> attributes, int depth)
            throws DamagedException {
        ProtoFields pair = new ProtoFields(message);
        String key = "";
        Object value = null;
        while (pair.next()) {
            if (pair.isBytes(KEY)) {
                key = text(pair.content());
            } else if (pair.isBytes(VALUE)) {
                value = value(pair.content(), depth);
            }
        }
        requireWhole(pair);
        if (!key.isEmpty() && value != null) {
            attributes.put(key, value);
        }
    }

    /** Returns the value; null if it has none, or one of an unknown type. */
    private static @Nullable Object value(ByteBuffer message, int depth) throws DamagedException {
        if (depth == DEEPEST) {
            throw new DamagedException();
        }
        ProtoFields any = new ProtoFields(message);
        Object value = null;
        while (any.next()) {
            if (any.isBytes(STRING_VALUE)) {
                value = text(any.content());
            } else if (any.isInteger(BOOL_VALUE)) {
                value = any.integer() != 0;
            } else if (any.isInteger(INT_VALUE)) {
                value = any.integer();
            } else if (any.isDouble(DOUBLE_VALUE)) {
                value = Double.longBitsToDouble(any.integer());
            } else if (any.isBytes(ARRAY_VALUE)) {
                value = list(any.content(), depth + 1);
            } else if (any.isBytes(LIST_VALUE)) {
                Map<String, Object> entries = new LinkedHashMap<>();
                addAll(any.content(), ENTRIES, entries, depth + 1);
                value = entries;
            } else if (any.isBytes(BYTES_VALUE)) {
                byte[] bytes = new byte[any.content().remaining()];
                any.content().get(bytes);
                value = bytes;
            }
        }
        requireWhole(any);
        return value;
    }

    private static List<Object> list(ByteBuffer message, int depth) throws DamagedException {
        List<Object> values = new ArrayList<>();
        ProtoFields array = new ProtoFields(message);
        while (array.next()) {
            Object value = array.isBytes(ENTRIES) ? value(array.content(), depth) : null;
            if (value != null) {
                values.add(value);
            }
        }
        requireWhole(array);
        return values;
    }

    private static String text(ByteBuffer bytes) throws DamagedException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw new DamagedException();
        }
    }
}
