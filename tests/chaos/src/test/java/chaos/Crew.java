// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Threads that do the same again and again until told to end; the first failure is thrown then. The
 * thread that makes a crew is the one that waits for it.
 */
final class Crew implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Thread owner = Thread.currentThread();
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean isEnough;
    private volatile boolean hasFailed;

    /** One piece of the work. */
    interface Work {
        void once() throws Exception;
    }

    /** Starts a thread that repeats the work. */
    Crew repeat(String name, Work work) {
        Thread thread = new Thread(() -> loop(work), name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return this;
    }

    private void loop(Work work) {
        try {
            while (!isEnough) {
                work.once();
            }
        } catch (Exception | Error e) {
            hasFailed = true; // adding the error may fail too
            wakeOwner();
            failures.add(e);
        }
    }

    /** Returns whether a thread has ended by a failure. */
    boolean hasFailed() {
        return hasFailed;
    }

    /** Lets it work; returns early if a thread has failed. */
    void workFor(long seconds) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (long left; (left = end - System.nanoTime()) > 0 && !hasFailed; ) {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * Waits for what the work itself brings about and tells by {@link #wakeOwner}, or for a
     * failure. Needs no object, so it can wait in a full heap.
     */
    void workUntil(BooleanSupplier condition) {
        while (!condition.getAsBoolean() && !hasFailed) {
            LockSupport.park();
        }
    }

    /** Makes the owner look again. */
    void wakeOwner() {
        LockSupport.unpark(owner);
    }

    @Override
    public void close() {
        isEnough = true;
        try {
            for (int i = 0; i < threads.size(); i++) {
                endInAFullHeap(threads.get(i));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (hasFailed) {
            throw new IllegalStateException(failures.size() + " failures", failures.peek());
        }
    }

    /** Those that fill the heap are about to end. */
    private static void endInAFullHeap(Thread thread) throws InterruptedException {
        boolean hasEnded = false;
        while (!hasEnded) {
            try {
                end(thread);
                hasEnded = true;
            } catch (OutOfMemoryError e) {
                Thread.onSpinWait();
            }
        }
    }

    /** Waits for a thread that is about to end. */
    static void end(Thread thread) throws InterruptedException {
        thread.join(PATIENCE.toMillis());
        if (thread.isAlive()) {
            throw new IllegalStateException(
                    thread + " hangs in " + List.of(thread.getStackTrace()));
        }
    }
}
