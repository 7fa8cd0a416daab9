// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.function.LongSupplier;

/**
 * What assertions inside measured code allocate themselves, so that an assertion around them does
 * not count it. One per thread.
 */
final class Overhead {

    private static final ThreadLocal<Overhead> CURRENT = ThreadLocal.withInitial(Overhead::new);

    /** Bytes of assertions in this thread so far. */
    long own;

    /** Bytes of measured code since the step that is under way began. */
    long measured;

    private Overhead() {}

    static Overhead current() {
        return CURRENT.get();
    }

    /** Something that an assertion does, which may run measured code. */
    interface Step<T> {
        T run() throws Throwable;
    }

    /** Runs the step, and keeps account of its cost without the measured code in it. */
    static <T> T ofAssertion(Step<T> step) throws Throwable {
        Overhead overhead = current();
        LongSupplier counter = Counters.ofThread();
        long own = overhead.own;
        long measured = overhead.measured;
        overhead.measured = 0;
        long before = counter == null ? 0 : counter.getAsLong();
        try {
            return step.run();
        } finally {
            long spent = counter == null ? 0 : counter.getAsLong() - before;
            overhead.own = own + Math.max(0, spent - overhead.measured);
            overhead.measured += measured; // of a step around this one, too
        }
    }
}
