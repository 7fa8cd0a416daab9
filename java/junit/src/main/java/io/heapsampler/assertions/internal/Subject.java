// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.assertions.ThrowingRunnable;
import java.util.function.LongSupplier;

/**
 * The measured code: a first run, which may be that of a test engine, and later ones on the same
 * instance. Used by one thread.
 */
public final class Subject implements ThrowingRunnable {

    /** The name of code that its author has given none; the first words of a sentence. */
    public static final String UNNAMED = "The code";

    private final String name;
    private final ThrowingRunnable first;
    private final ThrowingRunnable again;
    private final ThrowingRunnable emptyFirst;
    private final ThrowingRunnable emptyAgain;
    private int runs;

    /**
     * Creates a subject.
     *
     * @param name what messages call it
     * @param first runs it for the first time
     * @param again runs it again
     * @param emptyFirst does what {@code first} does except for the code itself, to measure what
     *     that costs
     * @param emptyAgain the same for {@code again}
     */
    public Subject(
            String name,
            ThrowingRunnable first,
            ThrowingRunnable again,
            ThrowingRunnable emptyFirst,
            ThrowingRunnable emptyAgain) {
        this.name = name;
        this.first = first;
        this.again = again;
        this.emptyFirst = emptyFirst;
        this.emptyAgain = emptyAgain;
    }

    String name() {
        return name;
    }

    /** Other code that is measured as the next run of this one, which it contains. */
    Subject around(ThrowingRunnable code) {
        ThrowingRunnable empty = runs == 0 ? emptyFirst : emptyAgain;
        return new Subject(name, code, code, empty, empty);
    }

    /**
     * Returns the counterpart of the last run without the code, to measure the cost; before the
     * first run, its counterpart.
     */
    ThrowingRunnable empty() {
        return runs <= 1 ? emptyFirst : emptyAgain;
    }

    /** Was the last run the first one? */
    boolean isFirst() {
        return runs == 1;
    }

    int runs() {
        return runs;
    }

    /**
     * Reads a counter at the end of a run. A reading is compiled at some time, and what the JVM
     * allocates for that lies before the count is taken: in this class stacks show it as the
     * harness's.
     */
    static long read(LongSupplier counter) {
        return counter.getAsLong();
    }

    /** Runs the code once more, and counts its bytes as those of measured code. */
    @Override
    public void run() throws Throwable {
        Overhead overhead = Overhead.current();
        LongSupplier counter = Counters.ofThread();
        long inner = overhead.own;
        long measured = overhead.measured;
        long before = counter == null ? 0 : counter.getAsLong();
        try {
            (runs++ == 0 ? first : again).run();
        } finally {
            long bytes = counter == null ? 0 : counter.getAsLong() - before;
            overhead.measured = measured + bytes - (overhead.own - inner);
        }
    }
}
