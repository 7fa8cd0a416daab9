// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.internal.Evidence.Permits;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The permits of a thread, and that none gets lost. */
class PermitsTest {

    private static final int INTERRUPTED = -1;
    private static final int REFUSED = -2;

    @Test
    void reservedPermitsAreTakenFirstAndGivenBack() {
        try (Permits.Reservation outer = Permits.reserve(3)) {
            assertThat(outer.isThere()).isTrue();
            assertThat(Permits.free()).isEqualTo(Permits.MOST - 3);
            assertThat(Permits.acquire()).isTrue();
            try (Permits.Reservation inner = Permits.reserve(1)) {
                assertThat(inner.isThere()).isTrue();
                assertThat(Permits.acquire()).isTrue(); // the inner one
                assertThat(Permits.acquire()).isTrue(); // of the outer ones
                assertThat(Permits.free()).isEqualTo(Permits.MOST - 4);
                Permits.release();
                Permits.release();
            }
            assertThat(Permits.free()).isEqualTo(Permits.MOST - 3);
            assertThat(Permits.acquire()).isTrue();
            assertThat(Permits.acquire()).isTrue();
            assertThat(Permits.acquire()).isTrue(); // one more than were reserved
            assertThat(Permits.free()).isEqualTo(Permits.MOST - 4);
            for (int i = 0; i < 4; i++) {
                Permits.release();
            }
        }
        assertThat(Permits.free()).isEqualTo(Permits.MOST);
    }

    @Test
    void permitsInUseWhenAReservationEndsComeBackLater() {
        try (Permits.Reservation reservation = Permits.reserve(2)) {
            assertThat(reservation.isThere()).isTrue();
            assertThat(Permits.acquire()).isTrue();
        }
        assertThat(Permits.free()).isEqualTo(Permits.MOST - 1);
        Permits.release();
        assertThat(Permits.free()).isEqualTo(Permits.MOST);
    }

    @Test
    void noneOrTooManyAreNoReservation() {
        try (Permits.Reservation none = Permits.reserve(0);
                Permits.Reservation tooMany = Permits.reserve(Permits.MOST + 1)) {
            assertThat(none.isThere()).isFalse();
            assertThat(tooMany.isThere()).isFalse();
            assertThat(Permits.acquire()).isTrue();
            Permits.release();
        }
        assertThat(Permits.free()).isEqualTo(Permits.MOST);
    }

    /** With one in hand, two threads could wait for each other. */
    @Test
    void threadThatWaitsForSeveralHoldsNone() throws Exception {
        FutureTask<Integer> waiting = new FutureTask<>(PermitsTest::freeBesideTwoOfMine);
        try (Permits.Reservation most = Permits.reserve(Permits.MOST - 1)) {
            assertThat(most.isThere()).isTrue();
            started(waiting);
            assertThat(Permits.free()).isOne(); // the other needs two
            assertThat(waiting).isNotDone();
        }
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(Permits.MOST - 2);
        assertThat(Permits.free()).isEqualTo(Permits.MOST);
    }

    @Test
    void interruptedThreadGetsNoneOfThem() throws Exception {
        FutureTask<Integer> waiting = new FutureTask<>(PermitsTest::freeBesideTwoOfMine);
        try (Permits.Reservation most = Permits.reserve(Permits.MOST - 1)) {
            assertThat(most.isThere()).isTrue();
            started(waiting).interrupt();
            assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(INTERRUPTED);
            assertThat(Permits.free()).isOne();
        }
        assertThat(Permits.free()).isEqualTo(Permits.MOST);
    }

    private static int freeBesideTwoOfMine() {
        try (Permits.Reservation two = Permits.reserve(2)) {
            return two.isThere() ? Permits.free() : Thread.interrupted() ? INTERRUPTED : REFUSED;
        }
    }

    /** Starts a thread and returns it when it waits for permits. */
    private static Thread started(FutureTask<?> task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (LockSupport.getBlocker(thread) == null
                && !task.isDone()
                && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(LockSupport.getBlocker(thread)).as("what it waits for").isNotNull();
        return thread;
    }
}
