// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.ByteSize;
import io.heapsampler.internal.shared.ByteText;

/** Amounts of bytes as messages show them; {@link ByteSize} reads them. */
public final class Bytes {

    private Bytes() {}

    static String quoted(String text) {
        return '"' + text + '"';
    }

    /** Checks an amount that is given as a number. */
    public static long checked(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes must be 0 or more, but is " + bytes + ".");
        }
        return bytes;
    }

    /** Returns the limit as it was written, and in bytes where that says more. */
    public static String limit(String text, long bytes) {
        String exact = ByteText.exact(bytes);
        String trimmed = text.trim();
        return trimmed.equals(bytes + " B") ? exact : trimmed + " (" + exact + ")";
    }
}
