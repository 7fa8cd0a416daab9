// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How much of something there is: estimates of bytes and of objects, and the raw counts they come
 * from.
 *
 * <pre>{@code
 * HeapAmount live = site.live();
 * System.out.println(live.bytes() + " in " + live.objects() + " objects, from " + live.samples() + " samples");
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param bytes estimated bytes
 * @param objects estimated objects
 * @param sampledBytes bytes of the sampled objects themselves, no estimate; negative only in a
 *     difference
 * @param samples sampled objects, no estimate; negative only in a difference
 */
public record HeapAmount(Estimate bytes, Estimate objects, long sampledBytes, long samples) {

    /** Nothing. */
    static final HeapAmount ZERO = new HeapAmount(Estimate.ZERO, Estimate.ZERO, 0, 0);

    /**
     * Checks that no component is null.
     *
     * @param bytes estimated bytes
     * @param objects estimated objects
     * @param sampledBytes bytes of the sampled objects themselves
     * @param samples sampled objects
     */
    public HeapAmount {
        Objects.requireNonNull(bytes, "bytes");
        Objects.requireNonNull(objects, "objects");
    }

    // Written out for the reason given in Limits: the generated ones keep our class loader alive.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HeapAmount that
                && bytes.equals(that.bytes)
                && objects.equals(that.objects)
                && sampledBytes == that.sampledBytes
                && samples == that.samples;
    }

    @Override
    public int hashCode() {
        return 31 * bytes.hashCode() + objects.hashCode();
    }

    /**
     * Returns the sum of two amounts that rest on different samples.
     *
     * @param other another amount
     * @return the sum; the variances add
     */
    public HeapAmount plus(HeapAmount other) {
        return new HeapAmount(
                bytes.plus(other.bytes),
                objects.plus(other.objects),
                sampledBytes + other.sampledBytes,
                samples + other.samples);
    }

    /**
     * Returns the difference of two amounts, see {@link Estimate#minus(Estimate)}.
     *
     * @param earlier what to subtract
     * @return this minus the other
     */
    public HeapAmount minus(HeapAmount earlier) {
        return new HeapAmount(
                bytes.minus(earlier.bytes),
                objects.minus(earlier.objects),
                sampledBytes - earlier.sampledBytes,
                samples - earlier.samples);
    }

    /**
     * Returns what has come to a sum that only grows, such as that of all allocations: all samples
     * of the earlier sum are in this one, and cancel. Where they cannot be, as after a reset, it is
     * the difference of {@link #minus}.
     */
    HeapAmount since(HeapAmount earlier) {
        if (!bytes.includes(earlier.bytes) || !objects.includes(earlier.objects)) {
            return minus(earlier);
        }
        return new HeapAmount(
                bytes.since(earlier.bytes),
                objects.since(earlier.objects),
                sampledBytes - earlier.sampledBytes,
                samples - earlier.samples);
    }
}
