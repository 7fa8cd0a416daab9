// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.concurrent.TimeUnit;

/**
 * A thread that only sleeps, and how late it woke at worst: so long the whole machine stood still.
 * Ends when it is closed.
 */
final class Pulse implements AutoCloseable {

    private static final int BEAT_MILLIS = 20;

    private final Thread thread = new Thread(this::beat, "pulse");
    private volatile long lateNanos;

    Pulse() {
        thread.setDaemon(true);
        thread.start();
    }

    private void beat() {
        long beat = TimeUnit.MILLISECONDS.toNanos(BEAT_MILLIS);
        try {
            while (true) {
                long before = System.nanoTime();
                Thread.sleep(BEAT_MILLIS);
                lateNanos = Math.max(lateNanos, System.nanoTime() - before - beat);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    long lateMillis() {
        return TimeUnit.NANOSECONDS.toMillis(lateNanos);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
