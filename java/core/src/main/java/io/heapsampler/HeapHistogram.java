// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Estimated objects by age, in fixed buckets.
 *
 * <p>By time there are 32 buckets: bucket 0 is less than 1 ms, bucket i is from 2<sup>i−1</sup> up
 * to but not including 2<sup>i</sup> ms, and bucket 31 takes all that is longer. By collections
 * there are 16: bucket i up to 14 is exactly i collections, and bucket 15 takes all that is more.
 *
 * <pre>{@code
 * HeapHistogram byTime = site.lifetimes().byTime();
 * for (int i = 0; i < byTime.buckets(); i++) {
 *     System.out.println("from " + byTime.lowerBound(i) + " ms: " + byTime.objects(i));
 * }
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class HeapHistogram {

    /** What the bounds of the buckets count. */
    public enum Unit {
        /** Time, in milliseconds. */
        MILLISECONDS,

        /** Garbage collections. */
        COLLECTIONS
    }

    private static final int TIME_BUCKETS = 32;
    private static final int COLLECTION_BUCKETS = 16;

    private final Unit unit;
    private final double[] objects;

    private HeapHistogram(Unit unit, double[] objects) {
        this.unit = unit;
        this.objects = objects;
    }

    static HeapHistogram byTime(double[] source, int offset) {
        return new HeapHistogram(
                Unit.MILLISECONDS, Arrays.copyOfRange(source, offset, offset + TIME_BUCKETS));
    }

    static HeapHistogram byCollections(double[] source, int offset) {
        return new HeapHistogram(
                Unit.COLLECTIONS, Arrays.copyOfRange(source, offset, offset + COLLECTION_BUCKETS));
    }

    static HeapHistogram empty(Unit unit) {
        return new HeapHistogram(
                unit, new double[unit == Unit.MILLISECONDS ? TIME_BUCKETS : COLLECTION_BUCKETS]);
    }

    /** Adds, only while the histogram is being built. */
    void add(int bucket, double count) {
        objects[bucket] += count;
    }

    /** Returns the bucket of an age in microseconds. */
    static int timeBucket(long micros) {
        long millis = Math.max(micros, 0) / 1000;
        return Math.min(Long.SIZE - Long.numberOfLeadingZeros(millis), TIME_BUCKETS - 1);
    }

    /** Returns the bucket of an age in collections. */
    static int collectionBucket(long collections) {
        return (int) Math.min(collections, COLLECTION_BUCKETS - 1);
    }

    /** {@return what the bounds count} */
    public Unit unit() {
        return unit;
    }

    /** {@return the number of buckets: 32 by time, 16 by collections} */
    public int buckets() {
        return objects.length;
    }

    /**
     * Returns the least age in a bucket.
     *
     * @param bucket from 0 to {@link #buckets()} − 1
     * @return in {@link #unit()}
     * @throws IndexOutOfBoundsException if there is no such bucket
     */
    public long lowerBound(int bucket) {
        Objects.checkIndex(bucket, objects.length);
        if (unit == Unit.COLLECTIONS) {
            return bucket;
        }
        return bucket == 0 ? 0 : 1L << (bucket - 1);
    }

    /**
     * Returns the first age beyond a bucket.
     *
     * @param bucket from 0 to {@link #buckets()} − 1
     * @return in {@link #unit()}; {@link Long#MAX_VALUE} for the last bucket
     * @throws IndexOutOfBoundsException if there is no such bucket
     */
    public long upperBound(int bucket) {
        Objects.checkIndex(bucket, objects.length);
        return bucket == objects.length - 1 ? Long.MAX_VALUE : lowerBound(bucket + 1);
    }

    /**
     * Returns the estimated objects in a bucket.
     *
     * @param bucket from 0 to {@link #buckets()} − 1
     * @return 0 or more; not a whole number in general
     * @throws IndexOutOfBoundsException if there is no such bucket
     */
    public double objects(int bucket) {
        return objects[Objects.checkIndex(bucket, objects.length)];
    }

    /** {@return the estimated objects in all buckets} */
    public double total() {
        return Arrays.stream(objects).sum();
    }

    /**
     * Returns the bucket in which a given share of the objects is reached.
     *
     * @param share from 0 to 1; 0.5 for the median
     * @return the bucket; empty if the histogram is empty
     * @throws IllegalArgumentException if the share is outside 0 to 1
     */
    public OptionalInt quantileBucket(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share must be from 0 to 1: " + share);
        }
        double total = total();
        double sum = 0;
        OptionalInt last = OptionalInt.empty();
        for (int i = 0; i < objects.length; i++) {
            if (objects[i] > 0) {
                sum += objects[i];
                last = OptionalInt.of(i);
                if (sum >= share * total) {
                    return last;
                }
            }
        }
        return last;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HeapHistogram that
                && unit == that.unit
                && Arrays.equals(objects, that.objects);
    }

    @Override
    public int hashCode() {
        return 31 * unit.hashCode() + Arrays.hashCode(objects);
    }

    @Override
    public String toString() {
        return unit + " " + Arrays.toString(objects);
    }
}
