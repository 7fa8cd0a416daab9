// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSample;

/** A sum over samples while it is being built. For one thread. */
final class SiteSum {

    private double value;
    private double variance;
    private double seen;
    private double samples;

    /** Adds the bytes that a sample stands for; one with chance p adds s²(1 − p)/p² of variance. */
    void add(HeapSample sample) {
        add(sample, sample.weight());
    }

    void add(HeapSample sample, double weight) {
        double size = sample.size();
        value += size * weight;
        variance += size * size * weight * Math.max(weight - 1, 0);
        seen += size;
        samples++;
    }

    void add(Estimate other) {
        value += other.value();
        variance += other.standardError() * other.standardError();
        samples += other.samples();
    }

    /** Halves what it stands for, as if half of the time had been watched. */
    void halve() {
        value /= 2;
        variance /= 2;
        seen /= 2;
        samples /= 2;
    }

    boolean isEmpty() {
        return samples < 0.5;
    }

    double value() {
        return value;
    }

    Estimate bytes() {
        return Estimate.of(value, variance, seen, Math.round(samples));
    }

    /** The same as a share of a whole that is known. */
    Estimate shareOf(double whole) {
        if (!(whole > 0)) {
            return Estimate.of(0, 0, 0, 0);
        }
        return Estimate.of(
                value / whole, variance / (whole * whole), seen / whole, Math.round(samples));
    }
}
