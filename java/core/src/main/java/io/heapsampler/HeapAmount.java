// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
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
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class HeapAmount {

    /** Nothing. */
    static final HeapAmount ZERO = of(Estimate.ZERO, Estimate.ZERO, 0, 0);

    private final Estimate bytes;
    private final Estimate objects;
    private final long sampledBytes;
    private final long samples;

    private HeapAmount(Estimate bytes, Estimate objects, long sampledBytes, long samples) {
        this.bytes = Objects.requireNonNull(bytes, "bytes");
        this.objects = Objects.requireNonNull(objects, "objects");
        this.sampledBytes = sampledBytes;
        this.samples = samples;
    }

    /**
     * Creates an amount.
     *
     * @param bytes estimated bytes
     * @param objects estimated objects
     * @param sampledBytes bytes of the sampled objects themselves
     * @param samples number of sampled objects
     * @return the amount
     */
    public static HeapAmount of(Estimate bytes, Estimate objects, long sampledBytes, long samples) {
        return new HeapAmount(bytes, objects, sampledBytes, samples);
    }

    /** {@return the estimated bytes} */
    public Estimate bytes() {
        return bytes;
    }

    /** {@return the estimated number of objects} */
    public Estimate objects() {
        return objects;
    }

    /**
     * {@return the bytes of the sampled objects themselves, which is no estimate; negative only in
     * a difference}
     */
    public long sampledBytes() {
        return sampledBytes;
    }

    /**
     * {@return the number of sampled objects, which is no estimate; negative only in a difference}
     */
    public long samples() {
        return samples;
    }

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

    /** {@return the figures on one line, for people, not for programs} */
    @Override
    public String toString() {
        return "HeapAmount[bytes="
                + bytes
                + ", objects="
                + objects
                + ", sampledBytes="
                + sampledBytes
                + ", samples="
                + samples
                + "]";
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
