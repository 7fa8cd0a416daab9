// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.WhenNotMeasured;

/**
 * Settings of all assertions of a test.
 *
 * @param whenNotMeasured what to do without a figure
 * @param interval bytes between two samples; -1 to choose it from the limit
 * @param sites how many a message shows
 * @param ownCode which frames are the author's own
 * @param holders whether a message shows which references hold what stays alive
 */
public record Settings(
        WhenNotMeasured whenNotMeasured,
        long interval,
        int sites,
        OwnCode ownCode,
        boolean holders) {

    /** The defaults. */
    public static final Settings DEFAULT =
            new Settings(WhenNotMeasured.FAIL, -1, 3, OwnCode.DEFAULT, true);

    /** The same with the interval of an assertion, where that is not -1. */
    public Settings with(long ownInterval) {
        return ownInterval < 0
                ? this
                : new Settings(whenNotMeasured, ownInterval, sites, ownCode, holders);
    }

    /** The same with another policy. */
    public Settings with(WhenNotMeasured policy) {
        return new Settings(policy, interval, sites, ownCode, holders);
    }

    /** The same with other code as the author's own. */
    public Settings with(OwnCode code) {
        return new Settings(whenNotMeasured, interval, sites, code, holders);
    }

    /** The same, with or without the holders. */
    public Settings withHolders(boolean isShown) {
        return new Settings(whenNotMeasured, interval, sites, ownCode, isShown);
    }
}
