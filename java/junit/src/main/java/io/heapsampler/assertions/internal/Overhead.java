// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.internal.shared.DaemonThreads;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;

/**
 * Keeps the work of assertions out of figures: {@link #ofAssertion} keeps account of its bytes, so
 * that an assertion around it does not count them, and {@link #elsewhere} does it in another
 * thread. One per thread.
 */
public final class Overhead {

    private static final ThreadLocal<Overhead> CURRENT = ThreadLocal.withInitial(Overhead::new);

    /** Bytes of assertions in this thread so far. */
    long own;

    /** Bytes of measured code since the current step began. */
    long measured;

    private Overhead() {}

    static Overhead current() {
        return CURRENT.get();
    }

    /** A step of an assertion, which may run measured code. */
    public interface Step<T> {

        /** Does it. */
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
            overhead.measured += measured; // of a step around this one
        }
    }

    /**
     * Does the harness's own work in a thread of its own, while the caller waits: a recording of
     * the caller's thread that takes every allocation then neither sees nor pays for it. The thread
     * has ended when the call returns, so that a recording of all threads which begins then finds
     * no older thread in it. An interruption is kept for later.
     *
     * @return the result of the step
     * @throws Throwable an exception of the step
     */
    static <T> T elsewhere(Callable<T> step) throws Throwable {
        if (UnseenThreads.isVirtual()) {
            return step.call(); // a virtual thread that waits may go on at another carrier
        }
        FutureTask<T> task = new FutureTask<>(step);
        Thread thread = DaemonThreads.of(task, "heapsampler-look");
        thread.start();
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    thread.join(); // then the JVM counts it among those that have ended
                    return task.get();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                } catch (ExecutionException e) {
                    throw Objects.requireNonNull(e.getCause());
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
