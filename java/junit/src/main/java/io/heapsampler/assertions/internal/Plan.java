// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.time.Duration;

/**
 * How often code is run.
 *
 * @param warmup runs before those that are judged
 * @param minOf runs that are judged, 1 or more
 * @param budget the longest time for the former
 */
record Plan(int warmup, int minOf, Duration budget) {

    boolean repeats() {
        return warmup + minOf > 1;
    }
}
