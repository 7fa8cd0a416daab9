// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How many recordings assertions may have open at a time. A caller that needs several at once
 * reserves them all, because a thread that holds one and waits for more may wait for others that do
 * the same.
 */
final class Permits {

    /** As many as the sampler allows, except for some that the application may open itself. */
    static final int MOST = 56;

    private static final long PATIENCE_SECONDS = 60;

    private static final Semaphore ALL = new Semaphore(MOST);

    private static final ThreadLocal<Reservation> RESERVED = new ThreadLocal<>();

    private Permits() {}

    /** What this thread has got in advance; to be closed by it. */
    static final class Reservation implements AutoCloseable {

        private final int size;
        private final @Nullable Reservation around;
        private int free;

        private Reservation(int size, @Nullable Reservation around) {
            this.size = size;
            this.free = size;
            this.around = around;
        }

        /** Has it got all permits? */
        boolean isThere() {
            return size > 0;
        }

        @Override
        public void close() {
            if (around == null) {
                RESERVED.remove();
            } else {
                RESERVED.set(around);
            }
            ALL.release(free); // those that are in use come back one by one
            free = 0;
        }
    }

    /** Reserves some for this thread, inside of what it has reserved already; it may get none. */
    static Reservation reserve(int count) {
        boolean isDone = count <= MOST && take(count);
        Reservation reservation = new Reservation(isDone ? count : 0, RESERVED.get());
        RESERVED.set(reservation);
        return reservation;
    }

    /** Takes one; false if there was none for too long. */
    static boolean acquire() {
        Reservation reservation = RESERVED.get();
        while (reservation != null && reservation.free == 0) {
            reservation = reservation.around;
        }
        if (reservation == null) {
            return take(1);
        }
        reservation.free--;
        return true;
    }

    /** Gives one back. */
    static void release() {
        Reservation reservation = RESERVED.get();
        while (reservation != null && reservation.free == reservation.size) {
            reservation = reservation.around;
        }
        if (reservation == null) {
            ALL.release();
        } else {
            reservation.free++;
        }
    }

    /** Free permits; for tests. */
    static int free() {
        return ALL.availablePermits();
    }

    private static boolean take(int count) {
        try {
            return ALL.tryAcquire(count) // even if interrupted
                    || ALL.tryAcquire(count, PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
