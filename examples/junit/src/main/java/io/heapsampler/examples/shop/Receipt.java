// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.shop;

/** A receipt that is printed line by line. */
public final class Receipt {

    private final StringBuilder line = new StringBuilder(80);

    /** Formats a line without garbage: the buffer is used again. */
    public CharSequence line(String item, int cents) {
        line.setLength(0);
        line.append(item).append(' ').append(cents / 100).append('.');
        return line.append((char) ('0' + cents / 10 % 10)).append((char) ('0' + cents % 10));
    }

    /** Formats a line the short way. */
    public String formatted(String item, int cents) {
        return String.format("%s %d.%02d", item, cents / 100, cents % 100);
    }
}
