// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

/** Numbers in texts that programs read. */
final class Numbers {

    private static final double LARGEST_EXACT = 1L << 53;

    private Numbers() {}

    /** Writes whole numbers without a fraction. */
    static String text(double number) {
        boolean isWhole = number == Math.rint(number) && Math.abs(number) <= LARGEST_EXACT;
        return isWhole ? Long.toString((long) number) : Double.toString(number);
    }
}
