// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.TraceExample;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * The dictionary of OTLP profiles: the tables that several profiles share. In every table the
 * number 0 means nothing, and entry 0 is empty.
 */
final class OtlpDictionary extends ProfileTables {

    // Fields of the message ProfilesDictionary, in profiles.proto of OTLP 1.11.
    private static final int MAPPING = 1;
    private static final int LOCATION = 2;
    private static final int FUNCTION = 3;
    private static final int LINK = 4;
    private static final int STRING = 5;
    private static final int ATTRIBUTE = 6;
    private static final int STACK = 7;

    /** The attribute of all frames: they are frames of a JVM. */
    private static final int FRAME_TYPE = 1;

    private record Attribute(String key, String value) {}

    private record Link(String traceId, String spanId) {}

    private final Map<ByteBuffer, Integer> stacksByLocations = new HashMap<>();
    private final ProtoBuffer stacks = new ProtoBuffer();
    private final ProtoBuffer stack = new ProtoBuffer();
    private final ProtoBuffer frameAttributes = new ProtoBuffer();
    private final Map<Attribute, Integer> attributesByText = new HashMap<>();
    private final ProtoBuffer attributes = new ProtoBuffer();
    private final Map<Link, Integer> linksByIds = new HashMap<>();
    private final ProtoBuffer links = new ProtoBuffer();
    private final ProtoBuffer part = new ProtoBuffer();
    private final ProtoBuffer inner = new ProtoBuffer();

    OtlpDictionary(HeapSnapshot snapshot) {
        super(STRING, snapshot);
        frameAttributes.element(FRAME_TYPE);
    }

    /** Strings of a dictionary are there once. */
    @Override
    int name(String text) {
        return string(text);
    }

    @Override
    void addFunction(int number, int name, int systemName, int file, int firstLine) {
        part.clear().integer(1, name).integer(2, systemName);
        functions.message(FUNCTION, part.integer(3, file).integer(4, firstLine));
    }

    @Override
    void addLocation(int number, int function, int line) {
        inner.clear().integer(1, function).integer(2, line);
        locations.message(LOCATION, part.clear().message(3, inner).packed(4, frameAttributes));
    }

    /** The number of the stack of a site, with its class as the leaf. */
    int stack(SiteRow row) {
        stack.clear().element(location(row.className()));
        locations(row, stack);
        String ending = row.endingUnderClass();
        if (ending != null) {
            stack.element(location(ending));
        }
        ByteBuffer key = ByteBuffer.wrap(stack.copy());
        int next = stacksByLocations.size() + 1;
        Integer known = stacksByLocations.putIfAbsent(key, next);
        if (known != null) {
            return known;
        }
        stacks.message(STACK, part.clear().packed(1, stack));
        return next;
    }

    /** Adds the numbers of the attributes of a sample, which are texts, to a packed array. */
    void attributes(Map<String, String> texts, ProtoBuffer to) {
        texts.forEach((key, value) -> to.element(attribute(new Attribute(key, value))));
    }

    private int attribute(Attribute attribute) {
        int next = FRAME_TYPE + 1 + attributesByText.size();
        Integer known = attributesByText.putIfAbsent(attribute, next);
        if (known != null) {
            return known;
        }
        encode(string(attribute.key), attribute.value, attributes);
        return next;
    }

    /** The number of the link to a span. */
    int link(TraceExample example) {
        Link link = new Link(example.traceId(), example.spanId());
        int next = 1 + linksByIds.size();
        Integer known = linksByIds.putIfAbsent(link, next);
        if (known != null) {
            return known;
        }
        HexFormat hex = HexFormat.of();
        part.clear().string(1, hex.parseHex(link.traceId)).string(2, hex.parseHex(link.spanId));
        links.message(LINK, part);
        return next;
    }

    private void encode(int key, String value, ProtoBuffer to) {
        inner.clear().string(1, value.getBytes(StandardCharsets.UTF_8));
        to.message(ATTRIBUTE, part.clear().integer(1, key).message(2, inner));
    }

    /** Writes all of it, as a field of another message. */
    void writeTo(OutputStream out, int field) throws IOException {
        int key = string("profile.frame.type");
        ProtoBuffer first = new ProtoBuffer();
        for (int table : new int[] {MAPPING, LOCATION, FUNCTION, LINK, ATTRIBUTE, STACK}) {
            first.message(table, part.clear());
        }
        encode(key, "jvm", first);
        ProtoBuffer.drainMessage(
                field, out, first, locations, functions, stacks, links, attributes, strings);
    }
}
