// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Percent-encoding as RFC 3986 describes it. A plus sign is a plus sign. */
final class PercentText {

    private PercentText() {}

    /**
     * Decodes a text.
     *
     * @throws IllegalArgumentException if a percent sign is not followed by two hexadecimal digits,
     *     or the decoded bytes are not UTF-8; the message does not contain the text
     */
    static String decode(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < encoded.length; i++) {
            if (encoded[i] == '%') {
                bytes.write((digit(encoded, i + 1) << 4) | digit(encoded, i + 2));
                i += 2;
            } else {
                bytes.write(encoded[i]);
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the decoded bytes are not UTF-8");
        }
    }

    private static int digit(byte[] text, int at) {
        int digit = at < text.length ? Character.digit((char) text[at], 16) : -1;
        if (digit < 0) {
            throw new IllegalArgumentException("a % is not followed by two hexadecimal digits");
        }
        return digit;
    }
}
