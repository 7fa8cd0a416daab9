// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Strings as the JVM keeps them: NUL takes two bytes, and a character beyond the basic plane is a
 * pair of three-byte surrogates.
 */
public final class ModifiedUtf8 {

    private ModifiedUtf8() {}

    /** Returns the bytes of a text. */
    public static byte[] encode(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != 0 && c < 0x80) {
                bytes.write(c);
            } else if (c < 0x800) {
                bytes.write(0xC0 | (c >> 6));
                bytes.write(0x80 | (c & 0x3F));
            } else {
                bytes.write(0xE0 | (c >> 12));
                bytes.write(0x80 | ((c >> 6) & 0x3F));
                bytes.write(0x80 | (c & 0x3F));
            }
        }
        return bytes.toByteArray();
    }

    /** Returns the text, or null if the bytes are no modified UTF-8. */
    public static @Nullable String decode(byte[] source, int start, int bytes) {
        char[] chars = new char[bytes];
        int count = 0;
        int end = start + bytes;
        int i = start;
        while (i < end) {
            int first = source[i];
            if (first > 0) {
                chars[count++] = (char) first;
                i++;
            } else if ((first & 0xE0) == 0xC0 && i + 1 < end && isTail(source[i + 1])) {
                chars[count++] = (char) ((first & 0x1F) << 6 | (source[i + 1] & 0x3F));
                i += 2;
            } else if ((first & 0xF0) == 0xE0
                    && i + 2 < end
                    && isTail(source[i + 1])
                    && isTail(source[i + 2])) {
                chars[count++] =
                        (char)
                                ((first & 0x0F) << 12
                                        | (source[i + 1] & 0x3F) << 6
                                        | (source[i + 2] & 0x3F));
                i += 3;
            } else {
                return null;
            }
        }
        return new String(chars, 0, count);
    }

    private static boolean isTail(byte value) {
        return (value & 0xC0) == 0x80;
    }
}
