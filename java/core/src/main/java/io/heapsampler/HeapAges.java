// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Info;
import io.heapsampler.internal.SampleColumns;
import io.heapsampler.internal.SnapshotData;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How old objects are, or how old they became: by time and by garbage collections.
 *
 * <pre>{@code
 * HeapAges lifetimes = site.lifetimes();
 * OptionalInt median = lifetimes.byTime().quantileBucket(0.5);
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param byTime objects by age in milliseconds
 * @param byCollections objects by collections survived
 * @param samples the samples these figures rest on, 0 or more
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public record HeapAges(HeapHistogram byTime, HeapHistogram byCollections, long samples) {

    /**
     * Checks that no component is null.
     *
     * @param byTime objects by age in milliseconds
     * @param byCollections objects by collections survived
     * @param samples the samples these figures rest on, 0 or more
     */
    public HeapAges {
        Objects.requireNonNull(byTime, "byTime");
        Objects.requireNonNull(byCollections, "byCollections");
    }

    /** Returns how old the dead of some rows of SITES became. */
    static HeapAges ofDead(SnapshotData data, int[] rows) {
        double[] buckets = data.lifetimes(rows);
        return new HeapAges(
                HeapHistogram.byTime(buckets, 0),
                HeapHistogram.byCollections(buckets, 32),
                data.deaths(rows));
    }

    /** Returns the ages of those of some samples that are not known to be dead. */
    static HeapAges ofLiving(SnapshotData data, IntStream some) {
        SampleColumns samples = data.samples;
        HeapHistogram byTime = HeapHistogram.empty(HeapHistogram.Unit.MILLISECONDS);
        HeapHistogram byCollections = HeapHistogram.empty(HeapHistogram.Unit.COLLECTIONS);
        int[] living = some.filter(i -> i < samples.living).toArray();
        for (int i : living) {
            double weight = 1 / samples.chance(i);
            long age = data.info(Info.TAKEN_AT) - samples.allocatedMicros(i);
            byTime.add(HeapHistogram.timeBucket(age), weight);
            byCollections.add(HeapHistogram.collectionBucket(samples.survived(i)), weight);
        }
        return new HeapAges(byTime, byCollections, living.length);
    }

    // Written out for the reason given in Limits: the generated ones keep our class loader alive.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HeapAges that
                && byTime.equals(that.byTime)
                && byCollections.equals(that.byCollections)
                && samples == that.samples;
    }

    @Override
    public int hashCode() {
        return 31 * byTime.hashCode() + byCollections.hashCode();
    }
}
