// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.assertions.internal.Subject;

/** What runs a test, and allocates as the test wants; in this package stacks show it as ours. */
public final class FakeHarness {

    @SuppressWarnings("unused")
    private static volatile Object sink;

    /** What it costs from now on, in objects of 16 bytes. */
    private int cost;

    /**
     * Has code run by a harness that costs so much before, in, and after its first run, and nothing
     * later.
     */
    public Subject subject(int before, int in, int after, ThrowingRunnable code) {
        cost = before;
        ThrowingRunnable first =
                () -> {
                    allocate(in);
                    code.run();
                    cost = after;
                };
        return new Subject("It", first, code, () -> allocate(cost), () -> {});
    }

    private static void allocate(int objects) {
        for (int i = 0; i < objects; i++) {
            sink = new Object();
        }
    }

    /** Lets the JVM compile it now, or it would be replaced on the stack meanwhile. */
    public static void warmUp() {
        allocate(20_000);
    }
}
