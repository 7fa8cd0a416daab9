// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Baseline;
import io.heapsampler.assertions.internal.BaselineRule;
import io.heapsampler.assertions.internal.Share;

/**
 * A comparison with a file as it is written, for any test.
 *
 * @param name what its author calls it
 * @param file blank for that of the class
 * @param tolerance blank for what is configured
 * @param warmup runs before those that are judged; -1 for the default
 * @param minOf runs that are judged; -1 for the default
 */
record BaselineLimit(String name, String file, String tolerance, int warmup, int minOf) {

    /** Checks the tolerance and the runs. */
    BaselineLimit {
        if (!tolerance.isBlank()) {
            Share.of(tolerance, 0);
        }
        Annotations.runs("warmup", warmup, 0);
        Annotations.runs("minOf", minOf, 1);
    }

    /** Returns the limit of a test. */
    BaselineRule rule(TestCase test, Configuration configuration) {
        return new BaselineRule(
                name,
                new Baseline(configuration.baseline(file, test.type())),
                test.key(),
                tolerance.isBlank() ? configuration.tolerance() : tolerance,
                configuration.updates(),
                warmup,
                minOf);
    }
}
