// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.internal.FacadeAccess;

/**
 * The processor time of the samples that were measured up to a moment. Samples of classes and
 * threads that no recording wants count as well. The mean of {@code SamplerStatus} is that of all
 * time; the difference of two costs is that of a time.
 *
 * @param nanos the sum in nanoseconds
 * @param measured the number of the measured samples
 */
public record SampleCost(long nanos, long measured) {

    /** Returns the cost up to now; zeros without the library. */
    public static SampleCost now() {
        return FacadeAccess.sampleCost();
    }

    /** Returns the mean of the samples measured since; not a number if there are none. */
    public double since(SampleCost earlier) {
        return (double) (nanos - earlier.nanos) / (measured - earlier.measured);
    }
}
