// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.internal.shared;

import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes compact JSON. Numbers that are not finite become null. Characters with a meaning in HTML
 * are escaped, so that a page can contain the text, and control characters, so that a terminal can.
 * For one thread.
 */
public class JsonText {

    private static final String HEX = "0123456789abcdef";
    private static final double LARGEST_EXACT = 1L << 53;

    private final StringBuilder out = new StringBuilder();
    private boolean needsComma;

    /**
     * Returns a document of one line.
     *
     * @param value a map, list, string, number, boolean or null, and the same inside; other objects
     *     become strings
     */
    public static String of(@Nullable Object value) {
        return new JsonText().tree(value) + "\n";
    }

    /** Returns a number to its last digit; whole numbers have no fraction. */
    public static String exact(double number) {
        boolean isWhole = number == Math.rint(number) && Math.abs(number) <= LARGEST_EXACT;
        return isWhole ? Long.toString((long) number) : Double.toString(number);
    }

    public JsonText begin(char bracket) {
        comma();
        out.append(bracket);
        needsComma = false;
        return this;
    }

    public JsonText end(char bracket) {
        out.append(bracket);
        needsComma = true;
        return this;
    }

    public JsonText name(String name) {
        comma();
        quote(name);
        out.append(':');
        needsComma = false;
        return this;
    }

    public JsonText value(String text) {
        comma();
        quote(text);
        needsComma = true;
        return this;
    }

    public JsonText value(boolean value) {
        return raw(String.valueOf(value));
    }

    public JsonText value(long value) {
        comma();
        out.append(value);
        needsComma = true;
        return this;
    }

    /** Writes six significant digits, or null for a number that is not finite. */
    public JsonText value(double value) {
        if (!Double.isFinite(value)) {
            return raw("null");
        }
        boolean isWhole = value == Math.rint(value) && Math.abs(value) < 1e15;
        String text =
                isWhole ? String.valueOf((long) value) : String.format(Locale.ROOT, "%.6g", value);
        return raw(text);
    }

    public JsonText nothing() {
        return raw("null");
    }

    private JsonText tree(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            begin('{');
            map.forEach((name, each) -> name(String.valueOf(name)).tree(each));
            return end('}');
        }
        if (value instanceof List<?> list) {
            begin('[');
            list.forEach(this::tree);
            return end(']');
        }
        if (value instanceof Double number) {
            return raw(Double.isFinite(number) ? exact(number) : "null");
        }
        boolean isBare = value instanceof Number || value instanceof Boolean || value == null;
        return isBare ? raw(String.valueOf(value)) : value(String.valueOf(value));
    }

    /** Writes a value that is JSON already. */
    protected final JsonText raw(String text) {
        comma();
        out.append(text);
        needsComma = true;
        return this;
    }

    /** Moves the text to a writer once it has at least the given number of characters. */
    protected final void drainTo(Writer to, int least) throws IOException {
        if (out.length() >= least) {
            to.append(out);
            out.setLength(0);
        }
    }

    private void comma() {
        if (needsComma) {
            out.append(',');
        }
    }

    private void quote(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c == '<' || c == '>' || c == '&' || c == '\'' || isOdd(c)) {
                out.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    out.append(HEX.charAt((c >> shift) & 15));
                }
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    /** Controls of terminals, line ends to JavaScript, and halves of characters. */
    private static boolean isOdd(char c) {
        return Character.isISOControl(c)
                || c == '\u2028'
                || c == '\u2029'
                || Character.isSurrogate(c);
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
