// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Repeats;

/**
 * How often a test is run for a limit, as its author wrote it.
 *
 * @param warmup runs before those that are judged; -1 if that is not written
 * @param minOf runs that are judged; -1 if that is not written
 */
record Runs(int warmup, int minOf) {

    /** Checks both numbers. */
    Runs {
        warmup(warmup);
        minOf(minOf);
    }

    /** Returns the runs for a limit at a test that is otherwise run as often as given. */
    Repeats or(Repeats otherwise) {
        return new Repeats(
                warmup == -1 ? otherwise.warmup() : warmup,
                minOf == -1 ? otherwise.judged() : minOf);
    }

    /** Checks a number of runs before those that are judged. */
    static int warmup(int count) {
        return count == -1 ? count : least("warmup", count, 0, ", or -1 for the default");
    }

    /** Checks a number of runs that are judged. */
    static int minOf(int count) {
        return count == -1 ? count : least("minOf", count, 1, ", or -1 for the default");
    }

    /** Returns how often a test is run of which each run is an invocation of its own. */
    static Repeats of(AllocationTest test) {
        return new Repeats(
                least("warmup", test.warmup(), 0, ""), least("minOf", test.minOf(), 1, ""));
    }

    private static int least(String name, int count, int least, String otherwise) {
        if (count < least) {
            throw new IllegalArgumentException(
                    "%s must be %s or more%s, but is %s.".formatted(name, least, otherwise, count));
        }
        return count;
    }
}
