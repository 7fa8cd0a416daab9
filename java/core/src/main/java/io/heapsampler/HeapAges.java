// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import java.util.Objects;
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
