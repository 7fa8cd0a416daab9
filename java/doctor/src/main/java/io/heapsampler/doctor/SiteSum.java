// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.HeapSample;

/** A sum over samples while it is being built. For one thread. */
final class SiteSum {

    static final Estimate ZERO = Estimate.of(0, 0, 0, 0);

    private double value;
    private double variance;
    private double seen;
    private double samples;

    /** Adds the bytes that a sample stands for; one with chance p adds s²(1 − p)/p² of variance. */
    void add(HeapSample sample) {
        double size = sample.size();
        double weight = sample.weight();
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

    /** Takes off what other samples stand for: 0 at least. */
    void subtract(Estimate other) {
        value = Math.max(value - other.value(), 0);
        variance += other.standardError() * other.standardError();
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
        return shareOf(1);
    }

    /** The same divided by a number that is known, such as a whole, or a time; 0 if that is 0. */
    Estimate shareOf(double whole) {
        return whole > 0
                ? Estimate.of(
                        value / whole,
                        variance / (whole * whole),
                        seen / whole,
                        Math.round(samples))
                : ZERO;
    }
}
