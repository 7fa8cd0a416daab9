// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapHistogram;
import java.util.stream.IntStream;

/**
 * The least ages in the buckets of {@link HeapHistogram}, which are the same for all histograms.
 */
final class Buckets {

    /** By time, in milliseconds. */
    static final long[] BY_TIME =
            IntStream.range(0, 32).mapToLong(i -> i == 0 ? 0 : 1L << (i - 1)).toArray();

    /** By collections. */
    static final long[] BY_COLLECTIONS = IntStream.range(0, 16).asLongStream().toArray();

    private Buckets() {}

    /** The bucket of an age in milliseconds; a negative one counts as 0. */
    static int ofMillis(long millis) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(millis, 0));
        return Math.min(bits, BY_TIME.length - 1);
    }
}
