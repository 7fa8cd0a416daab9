// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs in a forked JVM where an agent samples: threads make one small array each between two
 * collections. Prints how many samples there are of these, and the notes of the snapshot.
 */
public final class Seldom {

    static final int THREADS = 50;
    static final int ROUNDS = 10;

    private static final AtomicInteger LEFT = new AtomicInteger();

    private static volatile int round;
    private static volatile Object sink;

    private Seldom() {}

    public static void main(String[] args) {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(Seldom::run);
            threads[i].setDaemon(true);
            threads[i].start();
        }
        for (int i = 1; i <= ROUNDS; i++) {
            LEFT.set(THREADS);
            round = i;
            for (Thread thread : threads) {
                LockSupport.unpark(thread);
            }
            while (LEFT.get() > 0) {
                Thread.yield();
            }
            System.gc();
        }
        HeapSnapshot snapshot = HeapSampler.snapshot();
        System.out.println("arrays=" + arrays(snapshot));
        System.out.println("notes=" + snapshot.notes());
    }

    /** Allocates nothing while it waits. */
    private static void run() {
        for (int done = 0; done < ROUNDS; done++) {
            while (round == done) {
                LockSupport.park();
            }
            allocate();
            LEFT.decrementAndGet();
        }
    }

    private static void allocate() {
        sink = new byte[16];
    }

    private static long arrays(HeapSnapshot snapshot) {
        return snapshot.sites().stream()
                .filter(
                        site ->
                                site.stack().stream()
                                        .anyMatch(frame -> frame.methodName().equals("allocate")))
                .mapToLong(site -> site.allocated().samples())
                .sum();
    }
}
