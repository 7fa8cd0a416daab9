// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;

/**
 * Sums over samples for a numbered set of things (sites, classes, threads), one array per figure.
 * Filled once, then only read.
 */
public final class Tally {

    private final double[] objects;
    private final double[] objectsVariance;
    private final double[] bytes;
    private final double[] bytesVariance;
    private final long[] samples;
    private final long[] sampledBytes;

    /** Makes sums of 0. */
    public Tally(int size) {
        objects = new double[size];
        objectsVariance = new double[size];
        bytes = new double[size];
        bytesVariance = new double[size];
        samples = new long[size];
        sampledBytes = new long[size];
    }

    /** Adds one sample that was kept with the given chance. */
    public void addSample(int index, long size, double chance) {
        double weight = 1 / chance;
        double variance = (1 - chance) * weight * weight;
        double length = (double) size;
        objects[index] += weight;
        objectsVariance[index] += variance;
        bytes[index] += weight * length;
        bytesVariance[index] += variance * length * length;
        samples[index]++;
        sampledBytes[index] = sum(sampledBytes[index], size);
    }

    /**
     * Adds sums that were formed elsewhere: samples, objects, their variance, bytes, their
     * variance, sampled bytes.
     */
    void addSums(int index, long count, double[] sums, long seenBytes) {
        objects[index] += sums[0];
        objectsVariance[index] += sums[1];
        bytes[index] += sums[2];
        bytesVariance[index] += sums[3];
        samples[index] = sum(samples[index], count);
        sampledBytes[index] = sum(sampledBytes[index], seenBytes);
    }

    /** Of two that are 0 or more; the largest number where there is no larger one. */
    static long sum(long one, long other) {
        long sum = one + other;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** Returns these sums regrouped: entry {@code i} goes to {@code groupOf[i]}. */
    Tally regroup(int[] groupOf, int groups) {
        Tally result = new Tally(groups);
        for (int i = 0; i < samples.length; i++) {
            result.add(groupOf[i], this, i);
        }
        return result;
    }

    /** Adds an entry of other sums. */
    public void add(int index, Tally other, int entry) {
        objects[index] += other.objects[entry];
        objectsVariance[index] += other.objectsVariance[entry];
        bytes[index] += other.bytes[entry];
        bytesVariance[index] += other.bytesVariance[entry];
        samples[index] = sum(samples[index], other.samples[entry]);
        sampledBytes[index] = sum(sampledBytes[index], other.sampledBytes[entry]);
    }

    /**
     * Returns the chance with which a sample was taken and kept.
     *
     * @param size bytes of the object
     * @param drawn interval in bytes, 0 for every allocation; below 0 the other bits are the chance
     *     itself, as a float
     * @param thinning kept with 2<sup>−thinning</sup>
     */
    public static double chance(long size, int drawn, int thinning) {
        double taken = drawn == 0 ? 1 : -Math.expm1(-(double) size / drawn);
        if (drawn < 0) {
            taken = Float.intBitsToFloat(drawn & Integer.MAX_VALUE);
        }
        return Math.scalb(taken, -thinning);
    }

    /**
     * Returns the estimated bytes of one entry, without building an {@link HeapAmount}.
     *
     * @param index the entry
     */
    public double bytes(int index) {
        return bytes[index];
    }

    /**
     * Returns one entry.
     *
     * @param index the entry
     */
    public HeapAmount amount(int index) {
        return HeapAmount.of(
                Estimate.of(
                        bytes[index],
                        bytesVariance[index],
                        (double) sampledBytes[index],
                        samples[index]),
                Estimate.of(
                        objects[index],
                        objectsVariance[index],
                        (double) samples[index],
                        samples[index]),
                sampledBytes[index],
                samples[index]);
    }
}
