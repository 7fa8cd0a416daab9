// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.lang.management.ManagementFactory;

/** What the JVM must have for tests about life and death. */
final class Collections {

    private Collections() {}

    static boolean isEpsilon() {
        return ManagementFactory.getRuntimeMXBean()
                .getInputArguments()
                .contains("-XX:+UseEpsilonGC");
    }

    static void assumeCollections() {
        assumeFalse(isEpsilon(), "nothing is collected");
    }
}
