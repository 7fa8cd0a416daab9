// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.assertions.internal.AllocationRule;
import io.heapsampler.assertions.internal.Scope;
import io.heapsampler.assertions.internal.Settings;
import io.heapsampler.assertions.internal.Subject;
import io.heapsampler.assertions.internal.Trials;
import java.util.List;

/**
 * A run in which the JVM compiles the code that measures it; {@link HarnessTest} starts it in a new
 * JVM. When HotSpot hands a method to its last compiler, it first makes all constant strings of the
 * class, in the thread that calls the method.
 */
final class CompiledHarness {

    /** Enough for the last compiler. */
    private static final int CALLS = 50_000;

    private CompiledHarness() {}

    public static void main(String[] args) throws Throwable {
        ThrowingRunnable nothing = () -> {};
        Subject inner = new Subject("Inner", nothing, nothing, nothing, nothing);
        ThrowingRunnable code =
                () -> {
                    for (int i = 0; i < CALLS; i++) {
                        inner.run();
                    }
                };
        Subject outer = new Subject("Outer", code, code, nothing, nothing);
        AllocationRule rule = new AllocationRule("No", Scope.TEST, "0 B", 0, 0, 1, -1);
        System.out.println(
                Trials.check(List.of(rule), outer, Settings.DEFAULT, () -> false).get(0));
    }
}
