// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.Code;
import java.util.function.LongSupplier;

/** The tightest bracket around a run: nothing but the code lies between the two readings. */
final class Window {

    /** So often the harness is measured before each verdict. */
    private static final int CALIBRATIONS = 5;

    private final LongSupplier counter;

    /** What the harness has cost at least. */
    private long harness = Long.MAX_VALUE;

    private long subtracted;

    Window(LongSupplier counter) {
        this.counter = counter;
    }

    /** Runs the subject and returns its bytes with those of the harness. */
    long raw(Subject subject) throws Throwable {
        return raw((Code) subject);
    }

    /** Returns the bytes without those of the harness, 0 or more. */
    long net(long raw, Subject subject) throws Throwable {
        calibrate(subject.empty());
        long bytes = Math.max(0, raw - harness);
        subtracted = harness;
        if (subject.isFirst()) {
            harness = Long.MAX_VALUE; // later runs go another way
        }
        return bytes;
    }

    /** What was subtracted last. */
    long harness() {
        return subtracted;
    }

    /** The least of all measurements: it can become less as the JVM compiles, never more. */
    private void calibrate(Code empty) throws Throwable {
        for (int i = 0; i < CALIBRATIONS && harness > 0; i++) {
            harness = Math.min(harness, raw(empty));
        }
    }

    private long raw(Code code) throws Throwable {
        Overhead overhead = Overhead.current();
        long inner = overhead.own;
        long before = counter.getAsLong();
        code.run();
        long after = counter.getAsLong();
        return after - before - (overhead.own - inner);
    }
}
