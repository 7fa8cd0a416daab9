// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

/** Quantiles of the normal distribution. */
public final class Normal {

    /** A normal figure lies within as many standard errors of its mean with probability 95 %. */
    public static final double Z95 = 1.96;

    private Normal() {}
}
