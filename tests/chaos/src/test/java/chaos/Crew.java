// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Threads that do the same again and again until told to end; the first failure is thrown then. */
final class Crew implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

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
            failures.add(e);
        }
    }

    /** Returns whether a thread has ended by a failure. */
    boolean hasFailed() {
        return hasFailed;
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
