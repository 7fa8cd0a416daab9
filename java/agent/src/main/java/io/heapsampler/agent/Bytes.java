// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import java.util.Locale;

/** Numbers of bytes as people write them. */
public final class Bytes {

    private static final long GREATEST = Integer.MAX_VALUE;

    private Bytes() {}

    /**
     * Reads an interval.
     *
     * @param written such as {@code 65536}, {@code 64k} or {@code 1m}
     * @return bytes, from 0 to {@link Integer#MAX_VALUE}
     * @throws IllegalArgumentException if it is no number, or out of range
     */
    public static long parse(String written) {
        String text = written.strip().toLowerCase(Locale.ROOT);
        int shift = text.endsWith("k") ? 10 : text.endsWith("m") ? 20 : 0;
        String digits = shift == 0 ? text : text.substring(0, text.length() - 1);
        long number = Long.parseLong(digits);
        if (number < 0 || number > GREATEST >> shift) {
            throw new IllegalArgumentException(written + " is out of range");
        }
        return number << shift;
    }
}
