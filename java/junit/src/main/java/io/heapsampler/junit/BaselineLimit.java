// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Baseline;
import io.heapsampler.assertions.internal.BaselineRule;
import io.heapsampler.assertions.internal.Repeats;
import io.heapsampler.assertions.internal.Share;

/**
 * A comparison with a file as it is written, for any test.
 *
 * @param name its name in messages
 * @param file blank for that of the class
 * @param tolerance blank for the configured one
 * @param runs how often the test is run
 */
record BaselineLimit(String name, String file, String tolerance, Runs runs) {

    /** Checks the tolerance. */
    BaselineLimit {
        if (!tolerance.isBlank()) {
            Share.of(tolerance, 0);
        }
    }

    /** Returns the limit of a test. */
    BaselineRule rule(TestCase test, Configuration configuration) {
        Repeats repeats = runs.or(test.repeats().orElse(Repeats.NONE));
        return new BaselineRule(
                name,
                new Baseline(configuration.baseline(file, test.type())),
                test.key(),
                tolerance.isBlank() ? configuration.tolerance() : tolerance,
                configuration.updates(),
                repeats.warmup(),
                repeats.judged());
    }
}
