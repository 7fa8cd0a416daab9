// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.Limits;

/**
 * Option values that may be unset, shared by {@link SamplerOptions} and {@link RecordingOptions}.
 */
final class OptionValues {

    /** The value of a number that was not set. */
    static final int UNSET = -1;

    private OptionValues() {}

    static boolean isSet(int value) {
        return value != UNSET;
    }

    static int or(int value, int other) {
        return isSet(value) ? value : other;
    }

    static int intervalOrDefault(int bytes) {
        return or(bytes, Limits.DEFAULT_INTERVAL);
    }

    /** Returns limits with values of others in place of unset ones. */
    static Limits or(Limits limits, Limits others) {
        return new Limits(
                or(limits.maxDepth(), others.maxDepth()),
                or(limits.maxTracked(), others.maxTracked()),
                or(limits.maxStacks(), others.maxStacks()),
                or(limits.maxNames(), others.maxNames()),
                or(limits.maxSites(), others.maxSites()),
                or(limits.maxThreads(), others.maxThreads()),
                or(limits.maxDead(), others.maxDead()));
    }

    /** Refuses an interval that was set and is not the only one that a strategy allows. */
    static void requireInterval(int interval, int only, SamplingStrategy strategy) {
        if (!isSet(interval) || interval == only) {
            return;
        }
        String why =
                strategy.isByBytes()
                        ? "each of the two sets the interval. Set one of them."
                        : "to count allocations, the JVM must report each of them. Leave interval()"
                                + " away, or use SamplingStrategy.bytes() instead.";
        throw new IllegalArgumentException(
                "interval=" + interval + " cannot go with " + strategy + ": " + why);
    }

    /** Returns a share of the processor time as a fraction. */
    static double share(int parts) {
        return (double) parts / Limits.WHOLE_SHARE;
    }
}
