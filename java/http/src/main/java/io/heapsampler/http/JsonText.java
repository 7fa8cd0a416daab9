// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Small JSON documents, for the status and growth of the sampler. Snapshots as JSON come from the
 * export module; its library is hidden there, and a second copy of it would be too much for this.
 */
final class JsonText {

    private final StringBuilder out = new StringBuilder();

    private JsonText() {}

    /**
     * Writes maps, lists, strings, numbers, booleans and null. Numbers that JSON does not have
     * become null.
     */
    static String of(@Nullable Object value) {
        JsonText text = new JsonText();
        text.write(value);
        return text.out.append('\n').toString();
    }

    private void write(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            writeMap(map);
        } else if (value instanceof List<?> list) {
            writeList(list);
        } else if (value instanceof Double number) {
            out.append(Double.isFinite(number) ? Numbers.text(number) : "null");
        } else if (value instanceof Number || value instanceof Boolean || value == null) {
            out.append(value);
        } else {
            writeString(value.toString());
        }
    }

    private void writeMap(Map<?, ?> map) {
        out.append('{');
        Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<?, ?> entry = entries.next();
            writeString(String.valueOf(entry.getKey()));
            out.append(':');
            write(entry.getValue());
            out.append(entries.hasNext() ? "," : "");
        }
        out.append('}');
    }

    private void writeList(List<?> list) {
        out.append('[');
        for (int i = 0; i < list.size(); i++) {
            out.append(i == 0 ? "" : ",");
            write(list.get(i));
        }
        out.append(']');
    }

    private void writeString(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c == '<' || Character.isSurrogate(c) || c == '\u2028') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
