// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.List;

/**
 * What of one site is alive in the end, by the iteration that allocated it; and what that pattern
 * means.
 *
 * <p>The last iteration does not count as evidence: whatever holds its latest object only, such as
 * a field, has one of that.
 */
final class Survivors {

    /** What the pattern means. */
    enum Kind {
        /** Each iteration left something: the last aside, without exception. */
        LEAK("leak"),
        /** Only the first ones did: something was filled, and is full. */
        FILLED("filled once"),
        /** Only the last one did: something is replaced each time. */
        REPLACED("replaced each time"),
        /** Some did. */
        UNSTEADY("unsteady");

        final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    private final String className;
    private final List<StackTraceElement> stack;
    private final double[] bytes;
    private final double[] objects;
    private double variance;

    Survivors(String className, List<StackTraceElement> stack, int iterations) {
        this.className = className;
        this.stack = stack;
        this.bytes = new double[iterations];
        this.objects = new double[iterations];
    }

    /** Adds a sample that stands for so many objects. */
    void add(int iteration, long size, double weight) {
        bytes[iteration] += size * weight;
        objects[iteration] += weight;
        variance += (double) size * size * weight * (weight - 1);
    }

    String className() {
        return className;
    }

    List<StackTraceElement> stack() {
        return stack;
    }

    int iterations() {
        return bytes.length;
    }

    /** In how many iterations something was left. */
    int nonEmpty() {
        int count = 0;
        for (double figure : bytes) {
            count += figure > 0 ? 1 : 0;
        }
        return count;
    }

    /** The slope of the survivors: bytes per iteration. */
    double bytesPerIteration() {
        return sum(bytes) / bytes.length;
    }

    double objectsPerIteration() {
        return sum(objects) / objects.length;
    }

    /**
     * The standard error of {@link #bytesPerIteration}: that of sampling; 0 if all was recorded.
     */
    double error() {
        return Math.sqrt(variance) / bytes.length;
    }

    private static double sum(double[] figures) {
        double sum = 0;
        for (double figure : figures) {
            sum += figure;
        }
        return sum;
    }

    Kind kind() {
        int last = bytes.length - 1;
        int filled = 0;
        while (filled < last && bytes[filled] > 0) {
            filled++;
        }
        if (filled == last) {
            return Kind.LEAK;
        }
        int others = 0;
        for (int i = filled; i < last; i++) {
            others += bytes[i] > 0 ? 1 : 0;
        }
        if (others > 0) {
            return Kind.UNSTEADY;
        }
        return filled > 0 ? Kind.FILLED : Kind.REPLACED;
    }

    /** Is it a leak of more than so many bytes per iteration, for sure? */
    boolean leaksMoreThan(long limit) {
        return kind() == Kind.LEAK && Bounds.low(sum(bytes), variance) / bytes.length > limit;
    }

    /**
     * Is it possible that it is a leak of more than so many bytes per iteration? An iteration
     * without a sample tells that it left less, but only where that many bytes cannot go without
     * one.
     */
    boolean mayLeakMoreThan(long limit, long interval) {
        boolean isTold = kind() != Kind.LEAK && Interval.decides(interval, limit);
        return !isTold && Bounds.high(sum(bytes), variance, interval) / bytes.length > limit;
    }
}
