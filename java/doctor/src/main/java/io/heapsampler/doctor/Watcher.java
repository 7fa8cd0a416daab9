// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.internal.shared.DaemonThreads;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The thread that has something to do once a second. What fails, be it for lack of memory, is lost
 * for this time and counted; the rest goes on. An interrupt does not end it.
 */
final class Watcher implements Runnable, AutoCloseable {

    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PATIENCE_MILLIS = 5_000;

    private final Runnable[] duties;
    private final Thread thread = DaemonThreads.of(this, "heapsampler-doctor");

    /** Guarded by this. */
    private boolean closed;

    // Written by the thread only.
    private volatile long failures;
    private volatile @Nullable Throwable lastFailure;

    /** With the tasks of each second, in this order. */
    Watcher(Runnable... duties) {
        this.duties = duties.clone();
    }

    void start() {
        thread.start();
    }

    /** Returns how often a duty has failed. */
    long failures() {
        return failures;
    }

    /** Returns why a duty failed the last time, null if none ever did. */
    @Nullable Throwable lastFailure() {
        return lastFailure;
    }

    /** Allocates nothing, loads nothing, and lets no failure of a duty through. */
    @Override
    public void run() {
        long next = System.nanoTime();
        do {
            for (Runnable duty : duties) {
                if (isClosed()) {
                    return; // A duty, or a callee of it, has closed it.
                }
                try {
                    duty.run();
                } catch (Throwable e) {
                    long before = failures;
                    failures = before + 1;
                    lastFailure = e;
                }
            }
            long now = System.nanoTime();
            next = next + EVERY_NANOS - now > 0 ? next + EVERY_NANOS : now;
        } while (sleepUntil(next));
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Returns false when it is closed. */
    private synchronized boolean sleepUntil(long nanos) {
        while (!closed) {
            long millis = TimeUnit.NANOSECONDS.toMillis(nanos - System.nanoTime());
            if (millis <= 0) {
                return true;
            }
            try {
                wait(millis);
            } catch (InterruptedException e) {
                // Only close() ends the watch.
            }
        }
        return false;
    }

    /** Ends the thread, and waits for that unless it is the caller. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        if (Thread.currentThread() != thread) {
            try {
                thread.join(PATIENCE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
