// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.internal.shared.DaemonThreads;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Does the harness's own work in a thread of its own, while the caller waits: a recording of the
 * caller's thread that takes every allocation then neither sees nor pays for it. The thread has
 * ended when the call returns, so that a recording of all threads which begins then finds no older
 * thread in it.
 */
final class Aside {

    private Aside() {}

    /** Returns what a step returns; what it throws is thrown, an interruption is kept for later. */
    static <T> T call(Callable<T> step) throws NotMeasuredException {
        FutureTask<T> task = new FutureTask<>(step);
        if (Carriers.isVirtual()) {
            task.run(); // a virtual thread that waits may go on at another carrier
            return result(task);
        }
        Thread thread = DaemonThreads.of(task, "heapsampler-look");
        thread.start();
        try {
            return result(task);
        } finally {
            end(thread);
        }
    }

    /** Waits until the JVM counts the thread among those that have ended. */
    private static void end(Thread thread) {
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static <T> T result(FutureTask<T> task) throws NotMeasuredException {
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
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
