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
    private final Code empty;
    private long harness = Long.MAX_VALUE;

    Window(LongSupplier counter, Code empty) {
        this.counter = counter;
        this.empty = empty;
    }

    /** Runs the subject and returns its bytes with those of the harness. */
    long raw(Subject subject) throws Throwable {
        return raw((Code) subject);
    }

    /** Returns the bytes without those of the harness, 0 or more. */
    long net(long raw) throws Throwable {
        calibrate();
        long bytes = Math.max(0, raw - harness);
        Overhead.current().measured += bytes;
        return bytes;
    }

    /** What the harness itself has cost at least, in each run: the only thing subtracted. */
    long harness() {
        return harness == Long.MAX_VALUE ? 0 : harness;
    }

    /** The least of all measurements: it can become less as the JVM compiles, never more. */
    private void calibrate() throws Throwable {
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
