// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.WhenNotMeasured;
import java.time.Duration;

/**
 * What holds for every assertion of a test.
 *
 * @param warmup runs that are not judged last; -1 for the default of the assertion
 * @param minOf runs that are judged, of which the smallest counts; -1 for the same
 * @param budget the longest time for runs that warm up
 * @param whenNotMeasured what to do without a figure
 * @param interval bytes between two samples; -1 to choose it from the limit
 * @param sites how many a message shows
 * @param ownCode which frames are the author's own
 */
public record Settings(
        int warmup,
        int minOf,
        Duration budget,
        WhenNotMeasured whenNotMeasured,
        long interval,
        int sites,
        OwnCode ownCode) {

    /** The defaults. */
    public static final Settings DEFAULT =
            new Settings(
                    -1, -1, Duration.ofSeconds(1), WhenNotMeasured.FAIL, -1, 3, OwnCode.DEFAULT);

    /** The same with what an assertion sets itself, where that is not -1. */
    public Settings with(int ownWarmup, int ownMinOf, long ownInterval) {
        return new Settings(
                ownWarmup >= 0 ? ownWarmup : warmup,
                ownMinOf >= 0 ? ownMinOf : minOf,
                budget,
                whenNotMeasured,
                ownInterval >= 0 ? ownInterval : interval,
                sites,
                ownCode);
    }

    /** The same with another policy. */
    public Settings with(WhenNotMeasured policy) {
        return new Settings(warmup, minOf, budget, policy, interval, sites, ownCode);
    }

    /** The same with other code as the author's own. */
    public Settings with(OwnCode code) {
        return new Settings(warmup, minOf, budget, whenNotMeasured, interval, sites, code);
    }

    /** How often to run, with defaults for what nobody has set. */
    Plan plan(int defaultWarmup, int defaultMinOf) {
        return new Plan(
                warmup >= 0 ? warmup : defaultWarmup, minOf >= 1 ? minOf : defaultMinOf, budget);
    }
}
