// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.ThrowingRunnable;
import java.util.function.LongSupplier;

/** The tightest bracket around a run: nothing but the code lies between the two readings. */
final class Window {

    /** So often the harness is measured after each run, and before the first. */
    private static final int CALIBRATIONS = 5;

    private static final String REASON =
            "the JVM compiled the harness meanwhile, so some of these bytes may be the harness's";

    static final String HELP = "Repeat the test (minOf = 2 or more).";

    private final LongSupplier counter;
    private final boolean isOfThread;

    /** What the harness has cost at least. */
    private long harness = Long.MAX_VALUE;

    /** The same just before the first run; -1 for later ones. */
    private long before = -1;

    private long subtracted;
    private long most;
    private long unsure;

    /**
     * Creates a window.
     *
     * @param counter counts bytes
     * @param isOfThread whether of the calling thread alone, so that what differs is the harness's
     */
    Window(LongSupplier counter, boolean isOfThread) {
        this.counter = counter;
        this.isOfThread = isOfThread;
    }

    /**
     * Measures the harness before the first run. Best done before a recording is open, which would
     * record that.
     */
    void begin(Subject subject) throws Throwable {
        boolean isCompared = isOfThread && subject.runs() == 0;
        before = isCompared ? least(subject.empty(), Long.MAX_VALUE) : -1;
    }

    /** Runs the subject and returns its bytes with those of the harness. */
    long raw(Subject subject) throws Throwable {
        return raw((ThrowingRunnable) subject);
    }

    /** Returns the bytes without those of the harness, 0 or more. */
    long net(long raw, Subject subject) throws Throwable {
        harness = least(subject.empty(), harness);
        subtracted = before < 0 ? harness : Math.min(before, harness);
        long bytes = Math.max(0, raw - subtracted);
        most = Math.max(before, harness);
        unsure = bytes - Math.max(0, raw - most);
        if (subject.isFirst()) {
            harness = Long.MAX_VALUE; // later runs go another way
        }
        return bytes;
    }

    /** What was subtracted last. */
    long harness() {
        return subtracted;
    }

    /** What of the last run the harness may have cost. */
    long most() {
        return most;
    }

    /** Is all of the last figure the code's? */
    boolean isSure() {
        return unsure == 0;
    }

    /**
     * Allows for what of the last figure may be the harness's: some of it, if the JVM compiled
     * that, or gave up what it had compiled, at a moment between before and after the first run.
     */
    Measured widen(Measured figure) {
        return isSure()
                ? figure
                : figure.widened(figure.low() - unsure, figure.high(), REASON, HELP);
    }

    /** The least of some measurements: it can become less as the JVM compiles. */
    private long least(ThrowingRunnable empty, long known) throws Throwable {
        long least = known;
        for (int i = 0; i < CALIBRATIONS && least > 0; i++) {
            least = Math.min(least, raw(empty));
        }
        return least;
    }

    private long raw(ThrowingRunnable code) throws Throwable {
        Overhead overhead = Overhead.current();
        long inner = overhead.own;
        long start = counter.getAsLong();
        code.run();
        long end = counter.getAsLong();
        if (end < 0) {
            throw new NotMeasuredException(Counters.SWITCHED_OFF);
        }
        return end - start - (overhead.own - inner);
    }
}
