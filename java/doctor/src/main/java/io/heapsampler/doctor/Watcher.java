// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.util.concurrent.TimeUnit;

/** The thread that looks at the JVM once a second. */
final class Watcher implements Runnable, AutoCloseable {

    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TickReader reader;
    private final History history;
    private final Thread thread = new Thread(this, "heapsampler-doctor");

    /** Guarded by this. */
    private boolean closed;

    Watcher(TickReader reader, History history) {
        this.reader = reader;
        this.history = history;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
    public void run() {
        long next = System.nanoTime();
        while (true) {
            try {
                look();
            } catch (VirtualMachineError | RuntimeException e) {
                // No memory, or a bean that fails: this look is lost, the next one may succeed.
            }
            next = Math.max(next + EVERY_NANOS, System.nanoTime());
            if (!sleepUntil(next)) {
                return;
            }
        }
    }

    private void look() {
        history.add(reader.read());
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
                closed = true; // Somebody ends all threads of the application.
            }
        }
        return false;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
    }
}
