// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.StackFrame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The dictionary of OTLP profiles: what several profiles refer to by number. In every table the
 * number 0 means nothing, and an empty entry stands there.
 */
final class OtlpDictionary {

    // Fields of the message ProfilesDictionary, in profiles.proto of OTLP 1.11.
    private static final int MAPPING = 1;
    private static final int LOCATION = 2;
    private static final int FUNCTION = 3;
    private static final int LINK = 4;
    private static final int STRING = 5;
    private static final int ATTRIBUTE = 6;
    private static final int STACK = 7;

    /** The only attribute: all frames are frames of a JVM. */
    private static final int FRAME_TYPE = 1;

    private final OtlpTables tables = new OtlpTables();
    private final Map<List<Integer>, Integer> stacks = new LinkedHashMap<>();
    private final ProtoBuffer part = new ProtoBuffer();
    private final ProtoBuffer inner = new ProtoBuffer();

    int string(String text) {
        return tables.string(text);
    }

    /** The number of the stack of a site, with its class as the leaf. */
    int stack(SiteRow row) {
        List<Integer> stack = new ArrayList<>(row.stack().size() + 2);
        stack.add(tables.location(row.className()));
        for (StackFrame frame : row.stack()) {
            stack.add(tables.location(frame));
        }
        String ending = row.endingUnderClass();
        if (ending != null) {
            stack.add(tables.location(ending));
        }
        Integer known = stacks.putIfAbsent(stack, stacks.size() + 1);
        return known == null ? stacks.size() : known;
    }

    /** Encodes all of it. */
    ProtoBuffer encode() {
        ProtoBuffer dictionary = new ProtoBuffer();
        int key = tables.string("profile.frame.type");
        for (int table : new int[] {MAPPING, LOCATION, FUNCTION, LINK, ATTRIBUTE, STACK}) {
            dictionary.message(table, part.clear());
        }
        inner.clear().string(1, "jvm".getBytes(StandardCharsets.UTF_8));
        dictionary.message(ATTRIBUTE, part.clear().integer(1, key).message(2, inner));
        addLocations(dictionary);
        for (OtlpTables.Function function : tables.functions()) {
            part.clear().integer(1, function.name()).integer(2, function.systemName());
            part.integer(3, function.file()).integer(4, function.firstLine());
            dictionary.message(FUNCTION, part);
        }
        for (List<Integer> stack : stacks.keySet()) {
            inner.clear();
            stack.forEach(inner::element);
            dictionary.message(STACK, part.clear().packed(1, inner));
        }
        for (String text : tables.strings()) {
            dictionary.string(STRING, text.getBytes(StandardCharsets.UTF_8));
        }
        return dictionary;
    }

    private void addLocations(ProtoBuffer dictionary) {
        ProtoBuffer attributes = new ProtoBuffer();
        attributes.element(FRAME_TYPE);
        for (OtlpTables.Location location : tables.locations()) {
            inner.clear().integer(1, location.function()).integer(2, location.line());
            dictionary.message(LOCATION, part.clear().message(3, inner).packed(4, attributes));
        }
    }
}
