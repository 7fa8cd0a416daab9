// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.Estimate;
import org.jspecify.annotations.Nullable;

/**
 * What one run allocated or left behind.
 *
 * @param low the least it can be
 * @param bytes the figure itself
 * @param high the most it can be
 * @param how where the figure comes from, for the message
 * @param evidence a recording of the run; null if there is none
 */
record Measured(double low, double bytes, double high, String how, @Nullable Evidence evidence)
        implements AutoCloseable {

    /** The truth lies within so many standard errors but for one in 15,000 figures. */
    static final double CERTAINTY = 4;

    static Measured exact(long bytes, String how, @Nullable Evidence evidence) {
        return new Measured(bytes, bytes, bytes, how, evidence);
    }

    static Measured of(Estimate estimate, String how, Evidence evidence) {
        double error = CERTAINTY * estimate.standardError();
        double value = estimate.value();
        return new Measured(Math.max(0, value - error), value, value + error, how, evidence);
    }

    boolean isWithin(long limit) {
        return high <= limit;
    }

    boolean isBeyond(long limit) {
        return low > limit;
    }

    boolean isExact() {
        return low == high;
    }

    String figure() {
        return isExact()
                ? Bytes.exact((long) bytes)
                : Bytes.rounded(bytes) + " ± " + Bytes.rounded((high - low) / 2);
    }

    @Override
    public void close() {
        if (evidence != null) {
            evidence.close();
        }
    }
}
