// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.internal.shared.DaemonThreads;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

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
     */
    static <T> T elsewhere(Callable<T> step) throws NotMeasuredException {
        FutureTask<T> task = new FutureTask<>(step);
        if (UnseenThreads.isVirtual()) {
            task.run(); // a virtual thread that waits may go on at another carrier
            return result(task, null);
        }
        Thread thread = DaemonThreads.of(task, "heapsampler-look");
        thread.start();
        return result(task, thread);
    }

    /** Waits until the JVM counts the thread among those that have ended. */
    private static <T> T result(FutureTask<T> task, @Nullable Thread thread)
            throws NotMeasuredException {
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    if (thread != null) {
                        thread.join();
                    }
                    return task.get();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                } catch (ExecutionException e) {
                    throw rethrown(e.getCause());
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException rethrown(@Nullable Throwable cause)
            throws NotMeasuredException {
        if (cause instanceof NotMeasuredException notMeasured) {
            throw notMeasured;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        if (cause instanceof RuntimeException failure) {
            throw failure;
        }
        throw new IllegalStateException(cause);
    }
}
